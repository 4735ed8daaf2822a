import type { Context } from '../../context/context.ts'
import { unknownName } from '../../error/unknown-name.ts'
import {
  checkOptions,
  type OptionChecks,
  positiveMilliseconds,
  wholeNumber,
  withDefaults,
} from '../../model/check-options.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { RequestRecordKeeper } from '../../store/request-record-keeper.ts'
import type { RouterSetup } from '../feature.ts'
import type { Idempotency, ModelOperations, RepeatableOperation } from './idempotency-settings.ts'
import { callerScope } from './record-key.ts'

/**
 * How requests with an `Idempotency-Key` are repeated
 * (draft-ietf-httpapi-idempotency-key-header-07).
 *
 * ```ts
 * const router = createRouter({
 *   policy: rest(),
 *   store: memory(),
 *   idempotency: { required: ['create'], keepMs: 48 * 3_600_000 },
 * })
 * ```
 */
export interface IdempotencyOptions<Caller = unknown> {
  /**
   * Who may send a request again, as any text. The same key of another scope is another key. Choose
   * what stays the same, such as the id of the user where roles change, or a tenant whose users go
   * on with each other's work; never what a client sends as it likes. Default: `context.caller`, or
   * `Authorization` and `Cookie` of a request without a caller; only a hash of it is kept.
   */
  readonly scope?: (context: Context<Caller>) => string
  /**
   * Operations that are refused without a key (400): of all models by their names, and of one model
   * as `{ model: 'payment', operations: ['create'] }`. `write` is every change at the addresses of
   * the model; changes that follow from those of other models need no key. A batch needs a key
   * where one of its operations does, and always with `batch`. Default: none.
   */
  readonly required?: readonly (RepeatableOperation | ModelOperations)[]
  /** How long a result is kept, in milliseconds. Default: 86 400 000 (24 h). */
  readonly keepMs?: number
  /**
   * A result with more bytes is not kept: the response to a repetition then has the item as it is
   * by then. The output of an action is not there any more (409). Default: 65 536.
   */
  readonly maxResultBytes?: number
  /**
   * How many results are kept. Beyond that, requests with a new key are refused (503, with
   * `Retry-After`) until results expire. Once half of that is used, one client keeps at most a
   * tenth. Default: 1 000 000.
   */
  readonly maxRecords?: number
  /**
   * The bytes of the results that are kept, encrypted and as base64url: with the same effect, and
   * the same share of one client. Default: 1 073 741 824 (1 GiB).
   */
  readonly maxTotalBytes?: number
}

const idempotencyOptions: OptionChecks<IdempotencyOptions> = {
  scope: 'function',
  required: true,
  keepMs: { ...positiveMilliseconds, max: Number.MAX_SAFE_INTEGER },
  maxResultBytes: wholeNumber(0, 16 * 1024 * 1024),
  maxRecords: wholeNumber(1),
  maxTotalBytes: wholeNumber(1),
}

const repeatableOperations: Readonly<Record<RepeatableOperation, true>> = {
  write: true,
  create: true,
  patch: true,
  update: true,
  put: true,
  replace: true,
  delete_: true,
  action: true,
  setResource: true,
  relationshipPost: true,
  relationshipPatch: true,
  relationshipDelete: true,
  restoreVersion: true,
  restore: true,
  purge: true,
  batch: true,
}

type IdempotencyLimits = Required<
  Pick<IdempotencyOptions, 'keepMs' | 'maxResultBytes' | 'maxRecords' | 'maxTotalBytes'>
>

export const defaultIdempotencyLimits: IdempotencyLimits = Object.freeze({
  keepMs: 86_400_000,
  maxResultBytes: 65_536,
  maxRecords: 1_000_000,
  maxTotalBytes: 1024 * 1024 * 1024,
})

/**
 * Undefined if the router ignores `Idempotency-Key`.
 * @throws RegistrationError
 */
export function idempotencySettings(
  option: boolean | IdempotencyOptions | undefined,
  { store, actionTimeoutMs, onError }: Pick<RouterSetup, 'store' | 'actionTimeoutMs' | 'onError'>,
): Idempotency | undefined {
  if (option === undefined || option === false) return undefined
  const options = option === true ? {} : option
  checkOptions("the option 'idempotency' of createRouter()", options, idempotencyOptions)
  const { scope = callerScope, required = [], ...limits } = options
  const { keepMs, maxResultBytes, maxRecords, maxTotalBytes } = withDefaults(
    defaultIdempotencyLimits,
    limits,
  )
  const requirements = readRequired(required)
  const { requestRecords: records } = store
  if (!records) throw new RegistrationError(noRecordsText)
  const whole = { records: maxRecords, bytes: maxTotalBytes }
  const keeper = new RequestRecordKeeper(records, whole, onError)
  return {
    records,
    keeper,
    scope,
    isScopeShared: scope !== callerScope,
    ...requirements,
    keepMs,
    maxResultBytes,
    waitMs: actionTimeoutMs,
  }
}

/** Known once the store is open, where it finds out whose tables these are. */
export function refuseUnkeptRecords({ records }: Pick<Idempotency, 'records'>): void {
  if (!records.areKept()) throw new RegistrationError(noRecordsText)
}

const noRecordsText =
  "The option 'idempotency' of createRouter() needs a store that keeps results of requests in a table of its own. memory(), sqlite() and postgres() do, unless the tables belong to another program ({ manage: false })."

function readRequired(
  required: readonly (RepeatableOperation | ModelOperations)[],
): Pick<Idempotency, 'required' | 'requiredByModel'> {
  const names = Object.keys(repeatableOperations)
  const ofAll = new Set<RepeatableOperation>()
  const byModel = new Map<string, Set<RepeatableOperation>>()
  for (const entry of listOf(required, optionName)) {
    if (typeof entry !== 'object' || entry === null) {
      ofAll.add(checkedName(entry, names, optionName))
      continue
    }
    checkOptions(`the option 'required' of 'idempotency'`, entry, modelOperationsOptions)
    const { model, operations } = entry
    const owner = `${optionName}, for the model '${String(model)}',`
    // One key stands for all operations of a batch, of whatever model.
    const namesForModel = names.filter((name) => name !== 'batch')
    const ofModel = byModel.get(model) ?? new Set()
    byModel.set(model, ofModel)
    for (const name of listOf(operations, owner))
      ofModel.add(checkedName(name, namesForModel, owner))
  }
  return { required: ofAll, requiredByModel: byModel }
}

const optionName = "The option 'required' of 'idempotency'"

const modelOperationsOptions: OptionChecks<ModelOperations> = { model: true, operations: true }

function listOf<Entry>(entries: readonly Entry[], owner: string): readonly Entry[] {
  if (Array.isArray(entries)) return entries
  throw new RegistrationError(`${owner} must be a list of operations.`)
}

function checkedName(
  name: RepeatableOperation,
  names: readonly string[],
  owner: string,
): RepeatableOperation {
  if (names.includes(name)) return name
  throw new RegistrationError(
    unknownName(`${owner} has the unknown operation '${String(name)}'`, String(name), names),
  )
}

/**
 * Models are known once all are registered; a router without any has nothing to require.
 * @throws RegistrationError for a model that the router does not have
 */
export function checkRequiredModels(
  { requiredByModel }: Pick<Idempotency, 'requiredByModel'>,
  models: readonly Pick<ModelDescription, 'name'>[],
): void {
  if (models.length === 0) return
  const modelNames = models.map(({ name }) => name)
  for (const name of requiredByModel.keys())
    if (!modelNames.includes(name))
      throw new RegistrationError(
        unknownName(
          `${optionName} names the unknown model '${String(name)}'`,
          String(name),
          modelNames,
        ),
      )
}
