import { checkRowName } from '../../background/check-row-name.ts'
import { runDefaults, runOptionChecks } from '../../background/run-options.ts'
import {
  checkOptions,
  type OptionChecks,
  wholeNumber,
  withDefaults,
} from '../../model/check-options.ts'
import type { AnyModel } from '../../model/declare/model.ts'
import { RegistrationFaults } from '../../model/describe/registration-faults.ts'
import type { ItemsOf } from '../../model/items/items.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { Change } from './change.ts'

/** Which changes a consumer gets, and how. */
export interface ConsumerOptions<M extends AnyModel = AnyModel> {
  /** The models whose changes it gets, at least one. The router logs changes of each. */
  readonly models: readonly M[]
  /**
   * Where a new consumer begins: with changes after the router has opened, or at the `start` of
   * what the log keeps. Once its position is stored, this says nothing. Default: `now`.
   */
  readonly from?: 'now' | 'start'
  /**
   * Do `items` of the function take part in the transaction that stores the position? What it
   * writes with them is then committed exactly once. The transaction holds locks while the function
   * runs, so it should write items only. Default: false.
   */
  readonly inTransaction?: boolean
  /** How many changes the function gets at most in one call. Default: 100. */
  readonly maxChanges?: number
  /** How often a change is given before it is put aside. Default: 10. */
  readonly attempts?: number
  /**
   * The pause after the first failure, in milliseconds. It doubles with each further one, and up to
   * a half of it is left out by chance. Default: 1 000.
   */
  readonly pauseMs?: number
  /** The longest pause, in milliseconds. Default: 600 000 (10 min). */
  readonly maxPauseMs?: number
}

/** What the function of a consumer gets besides the changes. */
export interface ConsumerDetails {
  /**
   * Items of any model, as the service. With `inTransaction`, in the transaction that stores the
   * position.
   */
  readonly items: ItemsOf
  /**
   * Aborted when the router closes, and when another process may have taken over. What the function
   * has done is then done again, unless it returns.
   */
  readonly signal: AbortSignal
}

/** The function of a consumer: it has done the changes when it returns. */
export type ConsumeChanges<M extends AnyModel = AnyModel> = (
  changes: readonly Change<M>[],
  details: ConsumerDetails,
) => void | Promise<void>

/** A consumer with all of its options. */
export interface Consumer {
  readonly name: string
  readonly options: Required<ConsumerOptions>
  readonly consume: ConsumeChanges
}

const optionChecks: OptionChecks<ConsumerOptions> = {
  models: true,
  from: ['now', 'start'],
  maxChanges: wholeNumber(1, 10_000),
  ...runOptionChecks,
}

const defaults: Omit<Required<ConsumerOptions>, 'models'> = {
  from: 'now',
  maxChanges: 100,
  ...runDefaults,
}

/** @throws RegistrationError with everything that is wrong */
export function createConsumer(
  name: string,
  options: ConsumerOptions,
  consume: ConsumeChanges,
): Consumer {
  const faults = new RegistrationFaults()
  const owner = `consume('${String(name)}')`
  faults.attempt(() => checkRowName('consume()', name))
  faults.attempt(() => checkOptions(owner, options, optionChecks))
  faults.attempt(() => checkModels(owner, options?.models))
  faults.attempt(() => {
    if (typeof consume !== 'function')
      throw new RegistrationError(
        `${owner} expects a function that gets changes as its third argument.`,
      )
  })
  faults.throwAll()
  const { models, ...others } = options
  return { name, options: { models: [...models], ...withDefaults(defaults, others) }, consume }
}

function checkModels(owner: string, models: unknown): void {
  if (!Array.isArray(models) || models.length === 0)
    throw new RegistrationError(
      `The option 'models' of ${owner} must be an array with at least one model.`,
    )
  for (const model of models)
    if (typeof model !== 'function' || typeof model.modelName !== 'string')
      throw new RegistrationError(
        `The option 'models' of ${owner} must have the classes of models; got '${String(model)}'.`,
      )
}
