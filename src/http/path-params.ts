/** The parameters of a path, by name, decoded. */
export type Params = Readonly<Record<string, string>>
