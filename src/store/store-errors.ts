import type { ModelDescription } from '../model/model-description.ts'

// Mistakes in the use of a store, which every store reports in the same words.

export function modelNotOpened({ name }: ModelDescription): Error {
  return new Error(`The store was not opened with the model '${name}'.`)
}

export function transactionEnded(): Error {
  return new Error('The transaction has ended. Await every call inside the transaction function.')
}

export function nothingToReplace({ name }: ModelDescription, id: string): Error {
  return new Error(`Cannot replace '${name}' with the id '${id}': it does not exist.`)
}
