import type { ModelDescription } from '../../model/description.ts'
import type { Views } from '../../model/model-view.ts'
import type { Outgoing, Remarks } from '../../serializer/outgoing.ts'
import type { DocumentFacts, ErrorSerializer, Serializer } from '../../serializer/serializer.ts'
import { mediaType } from './media.ts'
import { readItem } from './read-item.ts'
import { identifierOpen, resourceForms } from './resource-form.ts'
import { frames, outputText } from './write-frame.ts'
import { metaText, resourceText } from './write-item.ts'

/** Documents of JSON:API 1.1, as these views show their models. */
export function jsonApiSerializer(views: Views, errors: ErrorSerializer): Serializer {
  const forms = resourceForms(views)
  const { one, many } = frames(views.describedAt)
  return Object.freeze({
    ...errors,
    mediaType,
    linkage: 'full',
    sendsStoredTexts: false,
    between: ',',
    read: readItem,
    item: (model: ModelDescription, item: Outgoing, base: string, remarks: Remarks) =>
      resourceText(forms(base).get(model)!, item, remarks),
    identifier: (model: ModelDescription, id: string, remarks: Remarks) =>
      `${identifierOpen(model)}${JSON.stringify(id)}${metaText(undefined, remarks)}}`,
    output: outputText,
    one: (_: ModelDescription, facts: DocumentFacts) => one(facts),
    list: (_: ModelDescription, facts: DocumentFacts) => many(facts),
  })
}
