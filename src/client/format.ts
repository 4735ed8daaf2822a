import type { Manifest, ModelManifest } from './manifest.ts'

/** An item as calls return it: flat, with the ids of related items. */
export type Item = { id: string } & Record<string, unknown>

// biome-ignore lint/suspicious/noExplicitAny: documents come from the network
export type ReceivedDocument = any

/** How one policy writes the documents of requests, and those of responses. */
export interface Format {
  readonly mediaType: string
  /** Do items need to name an inverse relation among their fields to have it? */
  readonly hasInverseFields: boolean
  /** The item, or the items, that the response is about. */
  primary(document: ReceivedDocument, plural: string): ReceivedDocument
  /** What the document holds beside them, with the plurals of their models. */
  included(document: ReceivedDocument): readonly (readonly [plural: string, value: unknown])[]
  toItem(received: ReceivedDocument, plural: string): Item
  version(received: ReceivedDocument, plural: string): unknown
  /** Where the pointers of problems begin that are about the values of an item. */
  pointerInto(pointer: string, plural: string): string
  writeItem(values: Readonly<Record<string, unknown>>, plural: string, id?: string): unknown
  writeInput(input: unknown): unknown
  readOutput(document: ReceivedDocument): unknown
  /** The address of the next and of the previous page. */
  pageLinks(document: ReceivedDocument, headers: Headers): Readonly<Record<string, string>>
}

/** The model of a plural, which the manifest has. */
export function modelOf({ models }: Manifest, plural: string): ModelManifest {
  return models[plural]!
}
