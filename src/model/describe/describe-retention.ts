import { capitalize } from '../../text/message-text.ts'
import { checkOptions, days, type OptionChecks } from '../check-options.ts'
import type { KeepOptions, ModelOptions } from '../declare/model.ts'
import type { Retention } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'

const dayMs = 24 * 60 * 60 * 1_000

/**
 * How long the service keeps former versions of items, or deleted items.
 * @param keepDaysOfTrue undefined where nothing goes by its age
 * @throws RegistrationError
 */
export function describeRetention(
  model: string,
  options: ModelOptions,
  name: 'history' | 'trash',
  keepDaysOfTrue: number | undefined,
): Retention | undefined {
  const option = options[name]
  if (option === undefined || option === false) return undefined
  const subject = `the option '${name}' of the model '${model}'`
  if (options.readOnly)
    throw new RegistrationError(
      `Clients only read the model '${model}' (readOnly), so '${name}' has no use. Remove it, or the option 'readOnly'.`,
    )
  if (option !== true && (typeof option !== 'object' || option === null))
    throw new RegistrationError(
      `${capitalize(subject)} must be true, false or an object such as { keepDays: 90 }.`,
    )
  if (option !== true) checkOptions(subject, option, keepOptions)
  const keepDays = (option === true ? undefined : option.keepDays) ?? keepDaysOfTrue
  return Object.freeze({ keepMs: keepDays === undefined ? undefined : keepDays * dayMs })
}

const keepOptions: OptionChecks<KeepOptions> = { keepDays: days }
