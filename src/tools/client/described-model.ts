import type { DocumentNode, DocumentReader } from './document-reader.ts'

/** A model as the paths of a document show it. */
export interface DescribedModel {
  readonly plural: string
  /** The singular, under which plain REST has one item. */
  readonly name: string
  /** The name of the schema of its items. */
  readonly schemaName: string
  readonly item: DocumentNode
  /** Operations on the list and on an item, by method. */
  readonly list: DocumentNode
  readonly one: DocumentNode
  /** What is below `/plural`, and below `/plural/{id}`, by the rest of the path. */
  readonly belowList: ReadonlyMap<string, DocumentNode>
  readonly belowItem: ReadonlyMap<string, DocumentNode>
  /** Where its relations lead, by their names. */
  readonly relations: Readonly<Record<string, DescribedRelation>>
  /** Do rules decide which of its items a caller sees? */
  readonly isGuarded: boolean
}

export interface DescribedRelation {
  readonly to: string
  readonly isMany?: true
  readonly inverse?: string
}

export const jsonApiMediaType = 'application/vnd.api+json'

/** The models of a document, in the order of its tags. */
export function describedModels(
  reader: DocumentReader,
  mediaType: string,
): readonly DescribedModel[] {
  const { tags = [], paths } = reader.document
  return tags.flatMap(({ name }: { readonly name: string }) => {
    const list = paths[`/${name}`] ?? {}
    const one = paths[`/${name}/{id}`] ?? {}
    const described = itemOf(reader, mediaType, name, list, one)
    if (!described) return []
    const operation = list.get ?? one.get ?? list.post ?? one.patch
    return [
      {
        plural: name,
        ...described,
        list,
        one,
        belowList: below(paths, `/${name}/`, /^[^/{]+$/),
        belowItem: below(paths, `/${name}/{id}/`, /./),
        relations:
          parameterNamed(reader, operation, 'include')?.schema['x-resourcery-relations'] ?? {},
        isGuarded: [401, 403].some((status) => (list.get ?? one.get)?.responses[status]),
      },
    ]
  })
}

/** Undefined where the path has no items of a model. */
function itemOf(
  reader: DocumentReader,
  mediaType: string,
  plural: string,
  list: DocumentNode,
  one: DocumentNode,
): Pick<DescribedModel, 'name' | 'schemaName' | 'item'> | undefined {
  const ofItem = contentOf(reader, one.get ?? one.patch ?? list.post, mediaType)
  const ofList = contentOf(reader, list.get, mediaType)
  const wrapper = ofItem ?? ofList
  const properties = propertiesOf(reader, wrapper)
  const isResource = mediaType === jsonApiMediaType
  const name = isResource ? plural : (wrapper?.required ?? wrapper?.allOf?.[0]?.required)?.[0]
  const member = properties[isResource ? 'data' : name]
  const schema = member?.items ?? member
  if (!schema?.$ref) return undefined
  const { anyOf } = reader.resolve(schema)
  const whole = anyOf ? anyOf[0] : schema
  return {
    name: ofItem ? name : '',
    schemaName: whole.$ref.slice(whole.$ref.lastIndexOf('/') + 1),
    item: reader.resolve(whole),
  }
}

/** The schema of the successful response of an operation. */
export function contentOf(
  reader: DocumentReader,
  operation: DocumentNode,
  mediaType: string,
): DocumentNode {
  const response = reader.resolve(operation?.responses?.[200] ?? operation?.responses?.[201])
  return reader.resolve(response?.content?.[mediaType]?.schema)
}

/** The properties of an object, also of one in parts. */
export function propertiesOf(reader: DocumentReader, schema: DocumentNode): DocumentNode {
  const parts: DocumentNode[] = (schema?.allOf ?? []).map(reader.resolve)
  return Object.assign({}, ...parts.map((part) => part.properties), schema?.properties)
}

export function parameterNamed(
  reader: DocumentReader,
  operation: DocumentNode,
  name: string,
): DocumentNode {
  return parametersOf(reader, operation).find((parameter) => parameter.name === name)
}

export function parametersOf(
  reader: DocumentReader,
  operation: DocumentNode,
): readonly DocumentNode[] {
  return (operation?.parameters ?? []).map(reader.resolve)
}

function below(
  paths: DocumentNode,
  start: string,
  pattern: RegExp,
): ReadonlyMap<string, DocumentNode> {
  return new Map(
    Object.entries(paths)
      .filter(([path]) => path.startsWith(start) && pattern.test(path.slice(start.length)))
      .map(([path, item]) => [path.slice(start.length), item]),
  )
}
