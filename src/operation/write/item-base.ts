import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { UnseenLinks } from './unseen-links.ts'

/** Members of an item by the model's own names: validated values, and relations as ids. */
export type Members = Record<string, unknown>

/**
 * What the payload is combined with: nothing, or an existing item. `merge` keeps members that the
 * payload lacks, `replace` does not.
 */
export type ItemBase = { readonly kind: 'new' } | ExistingBase

export interface ExistingBase {
  readonly kind: 'merge' | 'replace'
  readonly stored: StoredValues
  /** The values whose files the item has afterwards, to which links lead. Default: `stored`. */
  readonly files?: StoredValues
  readonly unseen: UnseenLinks
  /**
   * Fields that the caller does not see in this item. What it sends is merged with nothing, because
   * whether it fits would tell what is stored.
   */
  readonly masked: ReadonlySet<string>
  /** These fields, and those that it may not set. */
  readonly kept: ReadonlySet<string>
}
