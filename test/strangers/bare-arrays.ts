import type { Policy } from 'resourcery'
import {
  charsetParameters,
  createContents,
  exampleFlatItem,
  fieldsParameter,
  filterParameter,
  flatItemErrors,
  flatItemSchemas,
  flatLinkageSchema,
  isReadable,
  type JsonSchema,
  type ModelView,
  modelRules,
  nullable,
  pageParameter,
  plainFrame,
  problemMembers,
  problemMetaSchema,
  readFlatItem,
  readFlatLinkage,
  relationRules,
  type Serializer,
  sortParameter,
  writeFlatItem,
} from 'resourcery/policy'

const mediaTypes = ['application/json']
const problemSchema: JsonSchema = {
  type: 'object',
  properties: { status: { type: 'integer' }, ...problemMembers, meta: problemMetaSchema },
  required: ['status', 'code', 'title', 'detail'],
}

const serializer: Serializer = {
  mediaType: 'application/json',
  errorMediaType: 'application/json',
  errorSchema: { ...problemSchema, description: 'The first problem of the request' },
  writeErrors: (_, [first]) => JSON.stringify(first),
  linkage: 'owned',
  sendsRawJson: true,
  separator: ',',
  readItem: (document, view, purpose) => readFlatItem(document, view, purpose),
  writeItem: writeFlatItem,
  writeIdentifier: (_, id) => JSON.stringify(id),
  writeOutput: (text) => text,
  writeGroups: ({ groups }) => JSON.stringify(groups),
  itemFrame: () => plainFrame('', '', 'null'),
  listFrame: () => plainFrame('[', ']'),
}

const common = {
  serializer,
  mediaTypeParameters: charsetParameters,
  noun: 'item',
  missingRelatedError: 'related-not-found',
} as const

const rules: Policy['rules'] = (view, views, limits) => {
  const fields = [fieldsParameter(views)]
  const parametersOf = (shown: ModelView) => [
    filterParameter(views, shown, limits),
    sortParameter(views, shown, limits),
    pageParameter(limits),
    ...fields,
  ]
  const contentsOf = (schema: JsonSchema, example?: () => unknown) =>
    createContents(mediaTypes, schema, example)
  const listOf = (shown: ModelView) => ({
    contents: contentsOf({ type: 'array', items: flatItemSchemas(shown, views).response }),
    idPointer: '/0/id',
    headers: { link: 'sometimes' } as const,
  })
  const schemas = flatItemSchemas(view, views)
  return [
    ...modelRules(view, {
      ...common,
      item: { contents: contentsOf(schemas.response), idPointer: '/id' },
      list: listOf(view),
      request: (purpose) => ({
        mediaTypes,
        contents: contentsOf(schemas.request[purpose], () => exampleFlatItem(view, purpose)),
      }),
      requestErrors: flatItemErrors,
      writesInverses: false,
      actions: {
        mediaTypes,
        parameters: charsetParameters,
        missingRelatedError: common.missingRelatedError,
        inputContents: (input, _, example) => contentsOf(input, example),
        outputResponse: (output) => ({ contents: contentsOf(output), description: 'The output' }),
        read: (document) => ({ kind: 'present', document, value: document, steps: [] }),
      },
      itemParameters: fields,
      listParameters: parametersOf(view),
    }),
    ...view.model.relations
      .filter((relation) => isReadable(view, relation))
      .flatMap((relation) => {
        const related = views.of(relation.relatedModel)
        const linkage = contentsOf(flatLinkageSchema(view, views, relation))
        return relationRules(view, relation, related, {
          ...common,
          relatedPath: `/${relation.wireName}`,
          linkagePath: `/${relation.wireName}/ids`,
          list: listOf(related),
          itemOrNull: contentsOf(nullable(flatItemSchemas(related, views).response)),
          linkage,
          request: () => ({
            mediaTypes,
            contents: linkage,
            errors: ['invalid-relation'],
            read: (document) => readFlatLinkage(document, relation),
          }),
          queryParameters: { item: fields, list: parametersOf(related) },
        })
      }),
  ]
}

/** Lists are arrays, items and errors are objects, without any envelope. */
export function bareArrays(): Policy {
  return { name: 'bare-arrays', serializer, rules }
}
