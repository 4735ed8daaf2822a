import { checkOptions, days, type OptionChecks } from '../check-options.ts'
import type { ChangeKeeping } from '../declare/model.ts'
import type { ChangeLogging } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'

/** @throws RegistrationError for an invalid option `changes` */
export function describeChangeLogging(
  name: string,
  option: boolean | ChangeKeeping | undefined,
): ChangeLogging {
  if (option === undefined) return { kind: 'default' }
  if (option === false) return { kind: 'never' }
  if (option === true) return { kind: 'always', keepDays: undefined, capture: 'none' }
  const owner = `'changes' of the model '${name}'`
  if (typeof option !== 'object' || option === null)
    throw new RegistrationError(
      `${owner} must be true, false or an object such as { keepDays: 7 }.`,
    )
  checkOptions(owner, option, changeKeepingOptions)
  const { keepDays, capture = 'none' } = option
  return { kind: 'always', keepDays, capture }
}

const changeKeepingOptions: OptionChecks<ChangeKeeping> = {
  keepDays: days,
  capture: ['triggers'],
}
