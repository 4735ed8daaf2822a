import type { AccessCondition } from '../access/access-condition.ts'
import type { AccessSymbols } from '../access/declare-access.ts'
import {
  checkOptions,
  days,
  type OptionChecks,
  positiveMilliseconds,
  wholeNumber,
  withDefaults,
} from '../model/check-options.ts'
import type { ItemsOf } from '../model/items/items.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { JobModel } from './job-model.ts'

/** Who sees and ends jobs. */
export interface JobAccess {
  readonly read?: AccessCondition
  /** Ends a job that is not done yet, and removes it. */
  readonly delete?: AccessCondition
}

/** How requests are carried out after their responses. */
export interface JobOptions<Caller> {
  /**
   * The caller with this id, as authenticators would give it: a job does what this caller may do by
   * then. Undefined for nobody, whose jobs fail. With several stores,
   * `store` names the one of the work and `items`, and a caller of another one counts as nobody.
   */
  readonly callerOf: (
    owner: string,
    items: ItemsOf,
    store: string | undefined,
  ) => Caller | undefined | Promise<Caller | undefined>
  /**
   * Request headers that hooks read, in lower case, and that a job keeps: `['x-language']`. No
   * credential belongs here. Default: none besides those of the format, and of conditions.
   */
  readonly headers?: readonly string[]
  /**
   * How many jobs this process carries out at once. With 0, it leaves all to other processes.
   * Default: 1.
   */
  readonly atOnce?: number
  /** How many jobs of one caller may wait or run. Default: 10. */
  readonly maxPerOwner?: number
  /** The largest body, in bytes, which the store keeps until the job ends. Default: 67 108 864. */
  readonly maxBodyBytes?: number
  /** How long an action may take, in milliseconds. Default: 3 600 000 (1 h). */
  readonly actionTimeoutMs?: number
  /** How long jobs are kept once they have ended, from 1 to 36 500 days. Default: 7. */
  readonly keepDays?: number
  /** Who sees and ends jobs. Default: the caller who has sent the request. */
  readonly access?: (symbols: AccessSymbols<InstanceType<JobModel>, Caller>) => JobAccess
}

/** The options with their defaults. */
export type JobSettings = Required<Omit<JobOptions<unknown>, 'access'>>

const optionChecks: OptionChecks<JobOptions<unknown>> = {
  callerOf: 'function',
  headers: true,
  atOnce: wholeNumber(0, 100),
  maxPerOwner: wholeNumber(1),
  maxBodyBytes: wholeNumber(1),
  actionTimeoutMs: positiveMilliseconds,
  keepDays: days,
  access: 'function',
}

const defaults = Object.freeze({
  atOnce: 1,
  maxPerOwner: 10,
  maxBodyBytes: 67_108_864,
  actionTimeoutMs: 3_600_000,
  keepDays: 7,
} as const)

/** @throws RegistrationError for an invalid or missing option */
export function jobSettings<Caller>(options: JobOptions<Caller>): JobSettings {
  checkOptions<JobOptions<Caller>>('jobs()', options, optionChecks as never)
  const { callerOf, headers = [], access, ...others } = options
  const faults: string[] = []
  if (typeof callerOf !== 'function')
    faults.push("The option 'callerOf' of jobs() must be a function.")
  if (!Array.isArray(headers) || headers.some((name) => !isHeaderName(name)))
    faults.push(
      "The option 'headers' of jobs() must be an array of names of headers in lower case, without credentials, such as 'x-language'.",
    )
  if (faults.length > 0) throw new RegistrationError(faults.join('\n'))
  return {
    callerOf,
    headers,
    ...withDefaults<Pick<JobSettings, keyof typeof defaults>>(defaults, others),
  }
}

function isHeaderName(name: unknown): boolean {
  return (
    typeof name === 'string' &&
    /^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name) &&
    !['authorization', 'cookie', 'proxy-authorization'].includes(name)
  )
}
