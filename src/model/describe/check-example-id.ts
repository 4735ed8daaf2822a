import { RegistrationError } from '../registration-error.ts'
import { isValidId, validIdRules } from '../valid-id.ts'

/**
 * Examples are sent as they stand in the document, so they name ids that items can have.
 * @param place whose id it is, as in "The exampleId of the model 'book'"
 */
export function checkExampleId(place: string, id: unknown): void {
  if (typeof id === 'string' && isValidId(id)) return
  throw new RegistrationError(
    `${place} is '${String(id)}', which no item can have for its id. ${validIdRules}`,
  )
}
