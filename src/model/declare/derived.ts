/** Makes a value of other members of an item. It is synchronous, and reads nothing else. */
// biome-ignore lint/suspicious/noExplicitAny: the members are those that the declaration names
export type Compute = (values: any) => unknown
