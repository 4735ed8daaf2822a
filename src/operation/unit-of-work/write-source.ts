import type { WriteCause } from '../../context/write-hooks.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { Validations } from '../validations.ts'

/** What the writes of one operation have in common. */
export interface WriteSource {
  readonly cause: WriteCause
  readonly validations: Validations
  /** The item that a client sent; undefined if it sent none. */
  readonly sentItem: SentItem | undefined
}

/** Made where an observer asks for it. */
export type SourceOf = () => WriteSource

export interface SentItem {
  readonly model: ModelDescription
  /** Undefined for a new item. */
  readonly id: string | undefined
  readonly payload: ItemPayload
}
