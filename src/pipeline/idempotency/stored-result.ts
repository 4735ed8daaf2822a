import { hash } from 'node:crypto'
import { maskedNames, withoutMembers } from '../../access/mask-items.ts'
import { memoizeBy } from '../../cache/memoize-by.ts'
import type { Context } from '../../context/context.ts'
import type { RouterServices } from '../../document/router-services.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { OperationResult } from '../../operation/operation-result.ts'
import { andAlso, idEquals } from '../../query/conditions.ts'
import { schemaFingerprint } from '../../stored-item/migrate-item.ts'
import type { RawItem, StoredItem } from '../../stored-item/stored-item.ts'
import { storedResultErrors } from './repeatable-errors.ts'

const { refuse } = refusalsOf(storedResultErrors)

/**
 * The result of an operation as a record keeps it. An item is kept as it was, without its hidden
 * members; the document is written again, so that a caller never sees more than it may see now.
 */
export type StoredResult =
  | {
      readonly kind: 'item' | 'created'
      readonly id: string
      /** Undefined to read the item again. */
      readonly item: KeptItem | undefined
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
  /** Has it hidden members, which are not kept? Then it fits only where it is sent as stored. */
  readonly lacksHidden: boolean
}

/** What is decided about the results of one operation. */
export interface ResultKeeping {
  readonly model: ModelDescription
  /** Are items sent as they are stored, so that hidden members are not needed? */
  readonly isSentAsStored: boolean
  /** The bytes that the results may have. */
  readonly maxBytes: number
}

export function toStoredResult(
  result: OperationResult,
  { model, isSentAsStored, maxBytes }: ResultKeeping,
): StoredResult {
  switch (result.kind) {
    case 'item':
    case 'created': {
      const { id, text, relationsOffset, hash, revision, hiddenText } = result.item
      const lacksHidden = hiddenText !== null
      const isKept = (isSentAsStored || !lacksHidden) && Buffer.byteLength(text) <= maxBytes
      return {
        kind: result.kind,
        id,
        item: isKept ? { id, text, relationsOffset, hash, revision, lacksHidden } : undefined,
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

const schemaHash = memoizeBy((model: ModelDescription) =>
  hash('sha256', schemaFingerprint(model), 'base64url'),
)

/** The bytes of the texts that a result holds. */
export function sizeOf(stored: StoredResult): number {
  if (stored.kind === 'output') return Buffer.byteLength(stored.text)
  return 'item' in stored && stored.item ? Buffer.byteLength(stored.item.text) : 0
}

/** Who repeats a request, and how its result is sent. */
export interface ResultReading extends Pick<ResultKeeping, 'model' | 'isSentAsStored'> {
  readonly services: Pick<RouterServices, 'store' | 'guards'>
  readonly context: Context
}

/** @throws ApiError `response-not-kept` */
export async function fromStoredResult(
  reading: ResultReading,
  stored: StoredResult,
): Promise<OperationResult> {
  switch (stored.kind) {
    case 'item':
    case 'created':
      return { kind: stored.kind, item: await storedItem(reading, stored) }
    case 'deleted':
      return { kind: 'deleted' }
    case 'relationChanged':
      return { kind: 'relationChanged', etag: stored.etag }
    case 'output':
      return { kind: 'output', text: stored.text, etag: stored.etag }
    case 'dropped':
      return refuseLost('Its response was too long to be kept.')
  }
}

async function storedItem(
  { services: { store, guards }, model, isSentAsStored, context }: ResultReading,
  { id, item, schema }: Extract<StoredResult, { readonly id: string }>,
): Promise<StoredItem> {
  const hasMasks = guards.fields.hasMasks(model)
  const isUsable =
    item !== undefined &&
    schema === schemaHash(model) &&
    (!item.lacksHidden || (isSentAsStored && !hasMasks))
  if (isUsable && !hasMasks) return { ...item, hiddenText: null }
  const current = await store.find(model, idEquals(id), context)
  if (!isUsable) return current ?? refuseLost('The item has been deleted since.')
  // A field is sent if its rule held then and holds now.
  const kept: StoredItem = { ...item, hiddenText: null }
  const masks = guards.fields.masksOf(model, context)
  const [names = []] = await maskedNames(store, model, [kept], masks)
  const hidden = new Set(names)
  // The store decides about what is stored now: rules see more of an item than its caller.
  for (const { name, condition } of current ? masks : [])
    if (!(await store.find(model, andAlso(condition, idEquals(id)), context))) hidden.add(name)
  return withoutMembers(model, kept, [...hidden])
}

function refuseLost(reason: string): never {
  throw refuse(
    'response-not-kept',
    `The first request with this Idempotency-Key has been carried out. ${reason}`,
    { header: 'Idempotency-Key' },
  )
}
