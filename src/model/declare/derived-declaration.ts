/** Makes a value of other members of an item. It is synchronous, and reads nothing else. */
// biome-ignore lint/suspicious/noExplicitAny: the members are those that the declaration names
export type Compute<Values = any> = (values: Values) => unknown

/** What makes the value of a derived field. */
export interface DerivedDeclaration {
  readonly kind: 'derived'
  readonly from: readonly string[]
  readonly compute: Compute
  readonly version: number
}
