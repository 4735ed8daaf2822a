import type { ModelView } from '../../model/model-view.ts'
import { RegistrationError } from '../../model/registration-error.ts'

/**
 * Attributes and relationships share one namespace with `type` and `id`, links with `self`
 * (JSON:API 1.1, resource objects).
 * @throws RegistrationError
 */
export function checkReservedNames({ model, addedMembers }: ModelView): void {
  if (model.resourceFields.some(({ wireName }) => wireName === 'self'))
    throw new RegistrationError(
      `The wire name 'self' of a binary resource of the model '${model.name}' is reserved in JSON:API for the link to the item. Set another with { wire: '…' }.`,
    )
  if (model.fieldsByWireName.has('type') || addedMembers.has('type'))
    throw new RegistrationError(
      `The wire name 'type' of a field of the model '${model.name}' is reserved in JSON:API for the type of the resource. Set another with { wire: '…' }.`,
    )
}
