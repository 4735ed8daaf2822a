import type { ModelView } from '../../model/model-view.ts'
import { RegistrationError } from '../../model/registration-error.ts'

/**
 * Attributes and relationships share one namespace with `type` and `id` (JSON:API 1.1, resource objects, fields).
 * @throws RegistrationError naming the field
 */
export function checkNames({ model, adds }: ModelView): void {
  for (const wire of [...model.byWire.keys(), ...adds.keys()]) {
    if (wire !== 'type') continue
    throw new RegistrationError(
      `The model '${model.name}' has a field that clients see as 'type', which names the collection in every JSON:API resource; give it another name with { wire: '…' }.`,
    )
  }
}
