import { unknownName } from '../../error/unknown-name.ts'
import type { InverseField } from '../../model/model-description.ts'
import type { ActionOperationInput } from '../operation-input.ts'

/**
 * Refuses members that an action has added to its item and that nothing stores: the client would
 * be told of a success.
 * @param membersBefore those that the constructor of the class has made
 * @throws TypeError a fault of the service
 */
export function refuseUndeclaredMembers(
  { action, view: { model } }: Pick<ActionOperationInput, 'action' | 'view'>,
  item: object,
  membersBefore: ReadonlySet<string>,
): void {
  for (const name of Object.keys(item)) {
    if (membersBefore.has(name)) continue
    const field = model.fieldsByName.get(name)
    const subject = `The action '${action.name}' of '${model.name}' sets`
    if (!field)
      throw new TypeError(
        unknownName(`${subject} '${name}', which is not a member of the model`, name, [
          ...model.fieldsByName.keys(),
        ]),
      )
    if (field.kind === 'inverse') throw new TypeError(inverseMessage(subject, field))
  }
}

function inverseMessage(subject: string, { name, relatedModel, inverseOf }: InverseField): string {
  return `${subject} '${name}', which the items of '${relatedModel.name}' hold. Change '${inverseOf.name}' of these with items(…).update(), or '${name}' with items(…).update() of this item.`
}
