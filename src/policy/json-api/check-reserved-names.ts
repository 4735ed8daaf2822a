import type { ModelView } from '../../model/model-view.ts'
import { RegistrationError } from '../../model/registration-error.ts'

/**
 * Attributes and relationships share one namespace with `type` and `id`, links with `self`
 * (JSON:API 1.1, resource objects).
 * @throws RegistrationError naming the field
 */
export function checkReservedNames({ model, addedMembers }: ModelView): void {
  if (model.resourceFields.some(({ wireName }) => wireName === 'self'))
    throw new RegistrationError(
      `The model '${model.name}' has a binary resource that clients see as 'self', which in JSON:API is the link to the item; give it another name with { wire: '…' }.`,
    )
  for (const wire of [...model.fieldsByWireName.keys(), ...addedMembers.keys()]) {
    if (wire !== 'type') continue
    throw new RegistrationError(
      `The model '${model.name}' has a field that clients see as 'type', which names the collection in every JSON:API resource; give it another name with { wire: '…' }.`,
    )
  }
}
