import type { ResourceDefinition, VariantFormat } from './declare/resource.ts'
import type { FieldBase } from './field-base.ts'
import type { ColumnStorage } from './storage.ts'

/** Another format and size of an image: at most `size` pixels in width and height. */
export interface Variant {
  readonly format: VariantFormat
  readonly size: number
}

/** A binary resource. The item stores its metadata and its blob key. */
export interface ResourceField extends FieldBase {
  readonly kind: 'resource'
  readonly media: ResourceDefinition['media']
  readonly maxBytes: number
  /** Undefined if it is not an image. */
  readonly maxPixels: number | undefined
  /** Media types and ranges (`image/*`, `*\/*`) in lower case. */
  readonly types: readonly string[]
  readonly variants: readonly Variant[]
  readonly visibility: 'visible' | 'hidden' | 'readOnly'
  readonly storage: ColumnStorage
}

/** The resources inside a value. Members without resources are left out. */
export type NestedResources =
  | { readonly kind: 'resource'; readonly field: ResourceField }
  | { readonly kind: 'list'; readonly items: NestedResources }
  | { readonly kind: 'struct'; readonly members: ReadonlyMap<string, NestedResources> }
