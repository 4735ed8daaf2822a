import type { DescribedOperation, DescribedParameter } from './described-operation.ts'
import { type DocumentNode, isRecord, memberNode, memberNodes } from './document-node.ts'

/** The values that a schema of one or several texts lists. */
export function enumValues(document: object, node: DocumentNode): readonly string[] {
  const { value } = node
  if (!isRecord(value)) return []
  const listed = Array.isArray(value.enum)
    ? value.enum.filter((each) => typeof each === 'string')
    : []
  const items = memberNode(document, node, 'items')
  const branches = Array.isArray(value.anyOf)
    ? value.anyOf.map((_, index) => ({ value: value.anyOf, index }))
    : []
  return [
    ...listed,
    ...(items ? enumValues(document, items) : []),
    ...branches.flatMap(({ index }) => {
      const branch = branchNode(document, node, index)
      return branch ? enumValues(document, branch) : []
    }),
  ]
}

function branchNode(document: object, node: DocumentNode, index: number) {
  const list = memberNode(document, node, 'anyOf')!
  return memberNode(
    document,
    { value: { ...(list.value as readonly unknown[]) }, pointer: list.pointer },
    String(index),
  )
}

export function queryParameterOf(
  { parameters }: DescribedOperation,
  name: string,
): DescribedParameter | undefined {
  return parameters.find((each) => each.location === 'query' && each.name === name)
}

/** The names that a query parameter of an operation lists; none where it has no such parameter. */
export function listedNames(
  document: object,
  operation: DescribedOperation | undefined,
  parameter: string,
): readonly string[] {
  const described = operation && queryParameterOf(operation, parameter)
  return described ? enumValues(document, described.schema) : []
}

/** The names that `fields[talks]` can select, by the name of the collection. */
export function selectableNames(
  document: object,
  node: DocumentNode,
): ReadonlyMap<string, readonly string[]> {
  const properties = memberNodes(document, memberNode(document, node, 'properties'))
  return new Map(
    [...properties].flatMap(([collection, { value }]) => {
      const names = isRecord(value) ? value['x-resourcery-names'] : undefined
      return Array.isArray(names) ? [[collection, names as readonly string[]] as const] : []
    }),
  )
}
