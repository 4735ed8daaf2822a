import type { ModelDescription } from '../model/model-description.ts'
import type { VisibleChange } from '../operation/changes/decide-changes.ts'
import type { UnreadChanges } from '../operation/changes/unread-changes.ts'
import { noAnnotations } from '../serializer/outgoing-item.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { ChangesContext } from './response-context.ts'

/** A change as text, for a page or a stream. */
export interface WrittenChange {
  readonly kind: VisibleChange['kind']
  /** JSON of the rest of the change, without its kind: an object. */
  readonly text: string
}

/** The changes of one transaction, in their order. */
export interface WrittenTransaction {
  /** A large one may come in several parts. */
  readonly transaction: string
  readonly changes: readonly (WrittenChange & Pick<VisibleChange, 'position'>)[]
  /** The position of the last one, in the log. */
  readonly position: string
}

/** Who gets changes, which may have been decided for others who see the same. */
export interface ChangesReader {
  readonly changesContext: ChangesContext
  readonly contexts: UnreadChanges['contexts']
}

/** Writes changes; those after which the caller sees what it saw before are left out. */
export async function writeChanges(
  reader: ChangesReader,
  changes: readonly VisibleChange[],
): Promise<readonly WrittenTransaction[]> {
  if (changes.length === 0) return []
  const written = await writeEach(reader, changes)
  const transactions = new Map<string, WrittenTransaction['changes'][number][]>()
  for (const [index, { position, transaction }] of changes.entries()) {
    const change = written[index]
    if (!change) continue
    const ofTransaction = transactions.get(transaction) ?? []
    transactions.set(transaction, ofTransaction)
    ofTransaction.push({ ...change, position })
  }
  return [...transactions].map(([transaction, ofTransaction]) => ({
    transaction,
    changes: ofTransaction,
    position: ofTransaction.at(-1)!.position,
  }))
}

/** Undefined for a change after which the caller sees what it saw before. */
export async function writeEach(
  reader: ChangesReader,
  changes: readonly VisibleChange[],
): Promise<readonly (WrittenChange | undefined)[]> {
  const texts = await itemTexts(reader, changes)
  return changes.map((change) => {
    const { kind, model, id } = change
    const shown = kind === 'delete' ? undefined : texts.get(change.item)
    // Both have the related items of now, which may hide what was different then.
    const isSame = kind === 'update' && !change.linksDiffer && shown === texts.get(change.before)
    if (isSame) return undefined
    const item = shown === undefined ? '' : `,"item":${shown}`
    const text = `{"type":${JSON.stringify(model.plural)},"id":${JSON.stringify(id)}${item}}`
    return { kind, text }
  })
}

/** Both sides of each change as the caller sees them. */
async function itemTexts(
  { changesContext: { endpoint, services, selection }, contexts }: ChangesReader,
  changes: readonly VisibleChange[],
): Promise<ReadonlyMap<StoredItem, string>> {
  const byModel = new Map<ModelDescription, StoredItem[]>()
  for (const change of changes) {
    if (change.kind === 'delete') continue
    const ofModel = byModel.get(change.model) ?? []
    byModel.set(change.model, ofModel)
    ofModel.push(change.item)
    if (change.kind === 'update') ofModel.push(change.before)
  }
  const texts = new Map<StoredItem, string>()
  for (const [model, items] of byModel) {
    const { representPast } = endpoint.representers.get(model)!
    const outgoing = await representPast(items, contexts.get(model)!, selection.fields)
    for (const [index, item] of items.entries())
      texts.set(
        item,
        endpoint.serializer.writeItem(model, outgoing[index]!, services.urlPrefix(), noAnnotations),
      )
  }
  return texts
}
