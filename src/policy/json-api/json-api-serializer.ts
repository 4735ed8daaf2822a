import type { ModelDescription } from '../../model/model-description.ts'
import type { ModelViews } from '../../model/model-view.ts'
import type { ItemAnnotations, OutgoingItem } from '../../serializer/outgoing-item.ts'
import type { DocumentFacts, ErrorSerializer, Serializer } from '../../serializer/serializer.ts'
import { createDocumentFrames, writeActionOutput } from './document-frames.ts'
import { mediaType } from './media-types.ts'
import { readItem } from './read-item.ts'
import { createResourceTemplates, identifierPrefixOf } from './resource-template.ts'
import { writeResource, writeResourceMeta } from './write-resource.ts'

/** Documents of JSON:API 1.1, as these views show their models. */
export function createJsonApiSerializer(views: ModelViews, errors: ErrorSerializer): Serializer {
  const forms = createResourceTemplates(views)
  const { resource, list } = createDocumentFrames(views.documentPath)
  return Object.freeze({
    ...errors,
    mediaType,
    linkage: 'full',
    sendsRawJson: false,
    separator: ',',
    readItem,
    writeItem: (
      model: ModelDescription,
      item: OutgoingItem,
      base: string,
      remarks: ItemAnnotations,
    ) => writeResource(forms(base).get(model)!, item, remarks),
    writeIdentifier: (model: ModelDescription, id: string, remarks: ItemAnnotations) =>
      `${identifierPrefixOf(model)}${JSON.stringify(id)}${writeResourceMeta(undefined, remarks)}}`,
    writeOutput: writeActionOutput,
    itemFrame: (_: ModelDescription, facts: DocumentFacts) => resource(facts),
    listFrame: (_: ModelDescription, facts: DocumentFacts) => list(facts),
  })
}
