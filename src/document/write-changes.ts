import { lruCache } from '../cache/lru-cache.ts'
import { memoizeBy } from '../cache/memoize-by.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { VisibleChange } from '../operation/changes/decide-changes.ts'
import type { UnreadChanges } from '../operation/changes/unread-changes.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { ChangesContext } from './response-context.ts'
import { UnwritableState } from './unwritable-state.ts'
import { writePastItem } from './write-past-item.ts'

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

/**
 * Undefined for a change after which the caller sees what it saw before.
 * @throws UnwritableState where the client has to read the list again
 */
export async function writeEach(
  reader: ChangesReader,
  changes: readonly VisibleChange[],
): Promise<readonly (WrittenChange | undefined)[]> {
  const texts = await itemTexts(reader, changes).catch((error) => {
    if (error instanceof UnwritableState) reportOnce(reader, changes, error)
    throw error
  })
  return changes.map((change) => {
    const { kind, model, id } = change
    const shown = kind === 'delete' ? undefined : texts.get(change.item)
    // Both have the related items of now, which may hide what was different then.
    const isSame = kind === 'update' && !change.isSent && shown === texts.get(change.before)
    if (isSame) return undefined
    const item = shown === undefined ? '' : `,"item":${shown}`
    const text = `{"type":${JSON.stringify(model.plural)},"id":${JSON.stringify(id)}${item}}`
    return { kind, text }
  })
}

/** Both sides of each change as the caller sees them. */
async function itemTexts(
  { changesContext, contexts }: ChangesReader,
  changes: readonly VisibleChange[],
): Promise<ReadonlyMap<StoredItem, string>> {
  const { endpoint, selection } = changesContext
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
    const context = contexts.get(model)!
    const outgoing = await representPast(items, context, selection.fields)
    for (const [index, item] of items.entries())
      texts.set(item, writePastItem(changesContext, model, outgoing[index]!, item, context))
  }
  return texts
}

/** Not for each client that reads the change, nor each time. */
function reportOnce(
  { changesContext: { services, context } }: ChangesReader,
  changes: readonly VisibleChange[],
  { item, cause }: UnwritableState,
): void {
  const isOfItem = (change: VisibleChange) =>
    change.kind !== 'delete' &&
    (change.item === item || (change.kind === 'update' && change.before === item))
  const { model, position } = changes.find(isOfItem)!
  const reported = reportedOf(services)
  const key = `${model.name} ${position}`
  if (reported.get(key)) return
  reported.set(key, true)
  services.onError(cause, context)
}

const reportedOf = memoizeBy((_services: object) => lruCache<string, true>(maxReported))

/** So many changes that cannot be written are reported once each. */
const maxReported = 1_000
