/** A model in TypeScript, before it is printed. */
export interface PulledModel {
  readonly name: string
  readonly className: string
  /** Without its extension. */
  readonly file: string
  readonly description: string | undefined
  readonly members: readonly PulledMember[]
  /** Names and expressions of TypeScript. */
  readonly options: readonly (readonly [string, string])[]
  /** What the model does not say of its table. */
  readonly notes: readonly string[]
}

/** The schemas of resourcery that columns may have. */
export type ScalarName = 'date' | 'dateTime' | 'decimal'

export interface PulledMember {
  readonly name: string
  /** An expression of TypeScript. */
  readonly text: string
  /** The functions of resourcery that it calls. */
  readonly uses: 'field' | 'toOne' | 'toMany' | 'hash' | 'schema'
  /** The schema of resourcery that it calls; undefined for one of zod. */
  readonly scalar?: ScalarName | undefined
  readonly comment?: string | undefined
}
