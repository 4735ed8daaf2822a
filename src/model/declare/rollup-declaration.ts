export type RollupFunction = 'count' | 'sum' | 'avg' | 'min' | 'max'

/** What a rollup keeps, as it is declared. */
export interface RollupDeclaration {
  readonly kind: 'rollup'
  /** The name of the relation. */
  readonly over: string
  readonly function: RollupFunction
  /** The name of a field of the related items; undefined for their number. */
  readonly member: string | undefined
  /** Does it count items also for those who may not read them? */
  readonly countsHidden: boolean
  readonly version: number
}
