/** The parameters of a path, by name, decoded. */
export type PathParams = Readonly<Record<string, string>>
