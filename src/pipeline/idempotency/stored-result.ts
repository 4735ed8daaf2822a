import { hash } from 'node:crypto'
import { memoizeBy } from '../../cache/memoize-by.ts'
import type { RouterServices } from '../../document/router-services.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { OperationResult } from '../../operation/operation-result.ts'
import { idEquals } from '../../query/conditions.ts'
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
      readonly item: (RawItem & { readonly revision: number }) | undefined
      /** The form of the model in which the item was kept. */
      readonly schema: string
    }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'relationChanged'; readonly etag?: string }
  | { readonly kind: 'output'; readonly text: string; readonly etag?: string }
  /** It was too long. */
  | { readonly kind: 'dropped' }

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
      const isKept = (isSentAsStored || hiddenText === null) && Buffer.byteLength(text) <= maxBytes
      return {
        kind: result.kind,
        id,
        item: isKept ? { id, text, relationsOffset, hash, revision } : undefined,
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

/** @throws ApiError `response-not-kept` */
export async function fromStoredResult(
  { store }: RouterServices,
  model: ModelDescription,
  stored: StoredResult,
): Promise<OperationResult> {
  switch (stored.kind) {
    case 'item':
    case 'created': {
      const { kind, id, item, schema } = stored
      if (item && schema === schemaHash(model))
        return { kind, item: { ...item, hiddenText: null } satisfies StoredItem }
      const current = await store.find(model, idEquals(id))
      if (current) return { kind, item: current }
      return refuseLost('The item has been deleted since.')
    }
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

function refuseLost(reason: string): never {
  throw refuse(
    'response-not-kept',
    `The first request with this Idempotency-Key has been carried out. ${reason}`,
    { header: 'Idempotency-Key' },
  )
}
