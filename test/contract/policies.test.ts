import { type Ids, policyContract } from 'resourcery/contracts'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { openRest } from './open-rest.ts'

policyContract('rest()', () => openRest(rest()))

interface Identifier {
  readonly type: string
  readonly id: string
}

type Linkage = Identifier | null | readonly Identifier[]

interface ResourceObject extends Identifier {
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, { readonly data?: Linkage }>>
}

policyContract('jsonApi()', () => ({
  policy: jsonApi(),
  itemDocument: ({ plural, id, values, relations, relatedPlurals }) => ({
    data: {
      type: plural,
      id,
      attributes: values,
      relationships: Object.fromEntries(
        Object.entries(relations).map(([name, ids]) => [
          name,
          { data: toLinkage(relatedPlurals[name]!, ids) },
        ]),
      ),
    },
  }),
  readItem: ({ data }) => flatten(data),
  readList: ({ data }) => data.map(flatten),
  readErrorCodes: ({ errors }) => errors.map(({ code }: { code: string }) => code),
  linkage: {
    write: (plural, ids) => ({ data: toLinkage(plural, ids) }),
    read: ({ data }) => toIds(data),
  },
  action: { write: (input) => ({ meta: input }), read: ({ meta }) => meta },
  missingOperations: [],
}))

function flatten({ id, attributes, relationships = {} }: ResourceObject) {
  const linkage = Object.entries(relationships).flatMap(([name, { data }]) =>
    data === undefined ? [] : [[name, toIds(data)] as const],
  )
  return { id, ...attributes, ...Object.fromEntries(linkage) }
}

function toLinkage(type: string, ids: Ids): Linkage {
  if (ids === null) return null
  return typeof ids === 'string' ? { type, id: ids } : ids.map((id) => ({ type, id }))
}

function toIds(linkage: Linkage): Ids {
  if (linkage === null) return null
  return 'id' in linkage ? linkage.id : linkage.map(({ id }) => id)
}
