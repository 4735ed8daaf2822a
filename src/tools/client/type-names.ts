/** The types of a generated file, each with a name of its own, in the order of their first use. */
export class TypeNames {
  readonly #texts = new Map<string, string>()
  readonly #byKey = new Map<string, string>()

  /** Declares a type unless one with the key is there already, and returns its name. */
  declareOnce(key: string, wanted: string, typeOf: () => string): string {
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    const name = this.#claim(wanted)
    this.#byKey.set(key, name)
    this.#texts.set(name, `export type ${name} = ${typeOf()}`)
    return name
  }

  /** Declares a type with a name like the wanted one. */
  declareInterface(wanted: string, members: string, comment?: string): string {
    const name = this.#claim(wanted)
    const text =
      members === ''
        ? `export type ${name} = Record<never, never>`
        : `export interface ${name} {\n${members}\n}`
    this.#texts.set(name, comment === undefined ? text : `${comment}\n${text}`)
    return name
  }

  declareType(wanted: string, type: string): string {
    const name = this.#claim(wanted)
    this.#texts.set(name, `export type ${name} = ${type}`)
    return name
  }

  /** All declarations. */
  text(): string {
    return [...this.#texts.values()].join('\n\n')
  }

  #claim(wanted: string): string {
    const start = wanted.replaceAll(/[^\w$]/g, '').replace(/^(?=\d)/, '_')
    for (let count = 1; ; count++) {
      const name = count === 1 ? start : `${start}${count}`
      if (this.#texts.has(name) || reserved.has(name)) continue
      // Its place among the others is that of its first use.
      this.#texts.set(name, '')
      return name
    }
  }
}

/** Names of the file itself, and global types that it uses. */
const reserved = new Set(['Api', 'FileInfo', 'Manifest', 'Record', 'RelatedConditions'])
