import files from 'node:fs/promises'

/** Renames that are undone together if one of them fails. */
export class Renames {
  readonly #done: { readonly from: string; readonly to: string }[] = []
  readonly #files: Pick<typeof files, 'rename'>

  /** @param fileSystem tests pass one that fails */
  constructor(fileSystem: Pick<typeof files, 'rename'> = files) {
    this.#files = fileSystem
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#files.rename(from, to)
    this.#done.push({ from, to })
  }

  /** @throws Error that says what to rename by hand, if that fails too */
  async undo(reason: unknown): Promise<void> {
    const left: string[] = []
    for (const { from, to } of this.#done.splice(0).reverse())
      await this.#files
        .rename(to, from)
        .catch((error) => left.push(`'${to}' to '${from}' (${error.message})`))
    if (left.length === 0) return
    throw new Error(
      `The restore failed, and what was there could not be put back: ${(reason as Error).message}. Rename by hand, in this order: ${left.join('; ')}.`,
      { cause: reason },
    )
  }
}
