import type { AnyModel } from '../../model/declare/model.ts'
import type { CodeItem } from '../../model/items/item-types.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ChangeEntry, LoggedChange } from '../../store/change-log.ts'
import { toCodeValues } from '../../stored-item/code-values.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { migrateFormerItem } from '../../stored-item/migrate-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/** What is known of a change of one item, whatever it did. */
export interface ChangeFacts<M extends AnyModel = AnyModel> {
  /** The name of the model. */
  readonly model: M['modelName']
  readonly id: string
  /**
   * Names this change and no other, and is the same each time the change is given: for services
   * that take an idempotency key.
   */
  readonly key: string
  /**
   * How often the item has been written, with this change; for a deletion, without it. Always 1 in
   * ordinary tables, whose rows do not count it.
   */
  readonly revision: number
  /** When it was written, by the clock of the process that wrote it. */
  readonly time: Date
  /** The id of the caller; undefined for the service itself and for anonymous callers. */
  readonly caller: string | undefined
  /** The same for all changes of one transaction. */
  readonly transaction: string
}

/**
 * A change of an item of one of these models. Items are as code sees them: instances with their
 * hidden members, and relations as ids.
 */
export type Change<M extends AnyModel = AnyModel> = M extends AnyModel
  ? ChangeFacts<M> &
      (
        | { readonly kind: 'create'; readonly before: undefined; readonly after: CodeItem<M> }
        | { readonly kind: 'update'; readonly before: CodeItem<M>; readonly after: CodeItem<M> }
        | { readonly kind: 'delete'; readonly before: CodeItem<M>; readonly after: undefined }
      )
  : never

/** A change in the log that is not erased. */
export type KeptEntry = Extract<ChangeEntry, LoggedChange>

/** The change for code, with its items as the model declares them now. */
export async function changeOf(model: ModelDescription, entry: KeptEntry): Promise<Change> {
  const { kind, id, position, timeMs, caller, transaction, before, after } = entry
  return {
    kind,
    model: model.name,
    id,
    key: position,
    revision: (after ?? before)?.revision ?? 1,
    time: new Date(timeMs),
    caller: caller ?? undefined,
    transaction,
    before: await instanceOf(model, before),
    after: await instanceOf(model, after),
  } as Change
}

async function instanceOf(model: ModelDescription, item: StoredItem | null) {
  if (item === null) return undefined
  // An older version of the model may have written it.
  const { hash } = item
  const values = readStoredValues(model, await migrateFormerItem(model, item))
  const members = toCodeValues(model, values)
  return new model.model(hash === null ? members : { ...members, hash })
}
