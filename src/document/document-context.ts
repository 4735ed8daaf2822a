import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { Selection } from '../rule/selection.ts'
import type { DocumentFacts, Serializer } from '../serializer/serializer.ts'
import type { DocumentServices } from './document-services.ts'
import type { RawLineWriter } from './raw-line-writer.ts'
import type { Representer } from './represent.ts'

/** What registration decides about the documents of a rule. */
export interface DocumentEndpoint {
  readonly serializer: Serializer
  readonly representers: ReadonlyMap<ModelDescription, Representer>
  readonly rawLineWriter: RawLineWriter
  readonly model: ModelDescription
}

/** What all writers of a document need. */
export interface DocumentContext {
  readonly services: DocumentServices
  readonly endpoint: DocumentEndpoint
  readonly selection: Selection
  readonly context: Context
  readonly facts: DocumentFacts
}
