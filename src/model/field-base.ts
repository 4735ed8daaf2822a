/** What every field of a model has. */
export interface FieldBase {
  /** The name in the code of the model, in query plans and in stores. */
  readonly name: string
  /** The name for clients, and in the stored JSON. */
  readonly wireName: string
  readonly description: string | undefined
}
