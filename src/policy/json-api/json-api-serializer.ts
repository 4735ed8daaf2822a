import type { ModelDescription } from '../../model/model-description.ts'
import type { ModelViews } from '../../model/model-view.ts'
import type { ItemAnnotations, OutgoingItem } from '../../serializer/outgoing-item.ts'
import type { DocumentFacts, ErrorSerializer, Serializer } from '../../serializer/serializer.ts'
import { createDocumentFrames, writeActionOutput } from './document-frames.ts'
import { mediaType } from './media-types.ts'
import { readItem } from './read-item.ts'
import { createResourceTemplates, identifierPrefixOf } from './resource-template.ts'
import { writeResource, writeResourceMeta } from './write-resource.ts'

/** Writes and reads documents of JSON:API 1.1. */
export function createJsonApiSerializer(views: ModelViews, errors: ErrorSerializer): Serializer {
  const templates = createResourceTemplates(views)
  const { resource, list, groups } = createDocumentFrames(views.documentPath)
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
      urlPrefix: string,
      annotations: ItemAnnotations,
    ) => writeResource(templates(urlPrefix).get(model)!, item, annotations),
    writeIdentifier: (model: ModelDescription, id: string, annotations: ItemAnnotations) =>
      `${identifierPrefixOf(model)}${JSON.stringify(id)}${writeResourceMeta(undefined, annotations)}}`,
    writeOutput: writeActionOutput,
    writeGroups: groups,
    itemFrame: (_: ModelDescription, facts: DocumentFacts) => resource(facts),
    listFrame: (_: ModelDescription, facts: DocumentFacts) => list(facts),
  })
}
