import type { ModelDescription } from '../../model/model-description.ts'
import { toCodeInstance } from '../../stored-item/code-instance.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'

/** An item that hooks before a write may change. */
export interface HookDraft {
  readonly item: StoredValues
  /** Its own members as the hooks have left them, without what only the class has. */
  members(): Readonly<Record<string, unknown>>
}

/** @param values a copy, which hooks may change in place */
export function hookDraft(model: ModelDescription, values: StoredValues): HookDraft {
  const item = toCodeInstance(model, values)
  if (!model.hasOwnClass) return { item, members: () => item }
  // Hooks may assign all members of a copy, the same id too.
  Reflect.defineProperty(item, 'id', { writable: true })
  const classMembers = Object.keys(item).filter(
    (name) => !Object.hasOwn(values, name) && !model.fieldsByName.has(name),
  )
  return {
    item,
    members: () => {
      // Getters of the class are no members of the item, even with the name of a missing one.
      const members: Record<string, unknown> = { ...item }
      for (const name of classMembers) delete members[name]
      return members
    },
  }
}
