/** A fault of the code that derives a value: no client can correct it. */
export class DerivedValueError extends TypeError {
  /** The same for one of several new items, of which the caller knows no ids. */
  at({ model, index }: { readonly model: string; readonly index: number | undefined }): Error {
    if (index === undefined) return this
    return new DerivedValueError(`${model} at index ${index}: ${this.message}`, {
      cause: this.cause,
    })
  }
}
