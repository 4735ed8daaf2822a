import { checkOptions, type OptionChecks } from '../check-options.ts'
import type { DescribedCheck, ItemCheck } from '../declare/model.ts'
import type { ModelDescription } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'

/** @throws RegistrationError if the option `validate` has no function */
export function describeCheck(
  name: string,
  option: ItemCheck | DescribedCheck | undefined,
): Pick<ModelDescription, 'check' | 'checkDescription'> {
  if (option === undefined || typeof option === 'function')
    return { check: option, checkDescription: undefined }
  checkOptions(`'validate' of the model '${name}'`, option, describedCheckOptions)
  if (typeof option.check !== 'function')
    throw new RegistrationError(
      `'validate' of the model '${name}' must be a function, or an object with the function as 'check' and its words as 'description'.`,
    )
  return { check: option.check, checkDescription: option.description }
}

const describedCheckOptions: OptionChecks<DescribedCheck> = { check: 'function', description: true }
