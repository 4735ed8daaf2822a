/** What one request may ask for. Each refusal names the limit it met. */
export interface Limits {
  /** Items of a page, unless asked. */
  readonly pageSize: number
  readonly maxPageSize: number
  /** How far into a list a page by number or offset may reach; cursors reach any place. */
  readonly maxOffset: number
  readonly sortKeys: number
  /** Comparisons and connectives of all filters of the list together, and again of all filters of included relations. */
  readonly filterNodes: number
  readonly filterDepth: number
  /** Values of one `in`, `nin`, `any` or `all`. */
  readonly filterValues: number
  /** Wildcards of one `like`. */
  readonly wildcards: number
  /** Relations in a row, in filters, sorts and includes. */
  readonly relationDepth: number
  readonly includePaths: number
  /** Operations of one batch. */
  readonly operations: number
  /** Identifiers that the relations to many of one request name, in a batch those of all its operations. */
  readonly maxIdentifiers: number
  /** Bytes of a JSON body. */
  readonly bodyBytes: number
}

export const defaultLimits: Limits = Object.freeze({
  pageSize: 20,
  maxPageSize: 1_000,
  maxOffset: 1_000_000,
  sortKeys: 8,
  filterNodes: 100,
  filterDepth: 16,
  filterValues: 500,
  wildcards: 16,
  relationDepth: 4,
  includePaths: 20,
  operations: 100,
  maxIdentifiers: 10_000,
  bodyBytes: 1_048_576,
})
