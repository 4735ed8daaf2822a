import { hash } from 'node:crypto'
import { memoizeBy } from '../../cache/memoize-by.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { OperationInput } from '../../operation/operation-input.ts'
import type { OperationResult } from '../../operation/operation-result.ts'
import { shownItem } from '../../operation/shown-item.ts'
import type { ModelEndpoint } from '../../pipeline/model-endpoint.ts'
import type { RouterServices } from '../../pipeline/router-services.ts'
import type { Selection } from '../../rule/selection.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { contentHash } from '../../stored-item/content-hash.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import { schemaFingerprint } from '../../stored-item/migrate-item.ts'
import type { RawItem } from '../../stored-item/stored-item.ts'
import type { WrittenItems } from './record-transaction.ts'

/** The result of an operation as a record keeps it. */
export type StoredResult =
  | {
      readonly kind: 'item' | 'created'
      readonly id: string
      /** The item as its caller saw it, without hidden members; undefined to read it again. */
      readonly item: KeptItem | undefined
      /** The hash of the content of a new item, as its caller saw it. */
      readonly content: string | undefined
      /** The form of the model in which the item was kept. */
      readonly schema: string
    }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'relationChanged'; readonly etag?: string }
  | { readonly kind: 'output'; readonly text: string; readonly etag?: string }
  /** It was too long. */
  | { readonly kind: 'dropped' }

interface KeptItem extends RawItem {
  readonly revision: number
}

/** The bytes of an item, by its text. */
export type ItemMeasure = (text: string) => number

/** What is decided about the results of one operation. */
export interface ResultKeeping extends Pick<OperationInput, 'guards' | 'view' | 'context'> {
  readonly reader: StoreReader
  readonly written: WrittenItems
  /** Undefined where items are not kept. */
  readonly measure: ItemMeasure | undefined
  /** The bytes that the results may have. */
  readonly maxBytes: number
}

/**
 * Keeps what a repetition needs: an item only if the request has changed it, because the one that
 * is stored says the same otherwise.
 */
export async function toStoredResult(
  result: OperationResult,
  keeping: ResultKeeping,
): Promise<StoredResult> {
  const { reader, written, measure, maxBytes } = keeping
  const { model } = keeping.view
  switch (result.kind) {
    case 'item':
    case 'created': {
      const { id, text, relationsOffset, hash, revision } = result.item
      const change = written.get(model, id)
      const isKept = change !== undefined && measure !== undefined && measure(text) <= maxBytes
      return {
        kind: result.kind,
        id,
        item: isKept ? { id, text, relationsOffset, hash, revision } : undefined,
        content:
          result.kind === 'created' && change
            ? contentHash(await shownItem(reader, keeping, result.item))
            : undefined,
        schema: schemaHash(model),
      }
    }
    case 'deleted':
      return { kind: 'deleted' }
    case 'relationChanged':
      return withEtag({ kind: 'relationChanged' }, result.etag)
    case 'output':
      return Buffer.byteLength(result.text) <= maxBytes
        ? withEtag({ kind: 'output', text: result.text }, result.etag)
        : { kind: 'dropped' }
    default:
      return { kind: 'dropped' }
  }
}

function withEtag<Result extends object>(result: Result, etag: string | undefined): Result {
  return etag === undefined ? result : { ...result, etag }
}

export const schemaHash: (model: ModelDescription) => string = memoizeBy((model) =>
  hash('sha256', schemaFingerprint(model), 'base64url'),
)

/** The bytes of the texts that a result holds. */
export function sizeOf(stored: StoredResult): number {
  if (stored.kind === 'output') return Buffer.byteLength(stored.text)
  return 'item' in stored && stored.item ? Buffer.byteLength(stored.item.text) : 0
}

/**
 * The bytes of an item that count; undefined where items are read again. Whether an item is kept
 * must not tell what its caller does not see, so the model decides, and the size of what is shown.
 */
export function itemMeasure(
  { guards }: Pick<RouterServices, 'guards'>,
  { model, rule: { view }, representers }: Pick<ModelEndpoint, 'model' | 'rule' | 'representers'>,
  fields: Selection['fields'],
): ItemMeasure | undefined {
  const isSentAsStored = representers.get(model)!.isSentAsStored(fields)
  if (mayHaveHiddenText(model) && (guards.fields.hasMasks(model) || !isSentAsStored))
    return undefined
  if (isSentAsStored) return Buffer.byteLength
  const guarded = model.ownedRelations.filter(({ relatedModel }) => guards.isGuarded(relatedModel))
  const uncounted = new Set([...view.hiddenNames, ...guarded.map(({ wireName }) => wireName)])
  return uncounted.size === 0 ? Buffer.byteLength : (text) => bytesWithout(text, uncounted)
}

/** The keys of blobs are hidden too, and documents need them. */
function mayHaveHiddenText({ resourcePaths, valueFields }: ModelDescription): boolean {
  return resourcePaths.length > 0 || !valueFields.every(isShown)
}

function bytesWithout(text: string, names: ReadonlySet<string>): number {
  const members = Object.entries(JSON.parse(text)).filter(([name]) => !names.has(name))
  return Buffer.byteLength(JSON.stringify(Object.fromEntries(members)))
}
