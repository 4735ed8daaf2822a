import { responseFor } from '../described-operation.ts'
import { type DocumentNode, isRecord, memberNode, memberNodes } from '../document-node.ts'
import type { Finding } from '../finding.ts'
import { accessFinding } from './access-finding.ts'
import type { CallerView } from './caller-view.ts'
import type { ReadResponse } from './read-responses.ts'

/** Finds members that another caller's document describes, and that of the caller does not. */
export function findShownMembers(
  views: readonly CallerView[],
  responses: readonly ReadResponse[],
): readonly Finding[] {
  const describedBy = new Map<CallerView, Map<string, ReadonlySet<string>>>()
  const membersFor = (view: CallerView, path: string): ReadonlySet<string> => {
    const known = describedBy.get(view) ?? new Map<string, ReadonlySet<string>>()
    describedBy.set(view, known)
    const members = known.get(path) ?? describedMembers(view, path)
    known.set(path, members)
    return members
  }
  return responses.flatMap(({ view, path, response }) => {
    const own = membersFor(view, path)
    const foreign = views.flatMap((other) =>
      [...membersFor(other, path)].filter((member) => !own.has(member)),
    )
    if (foreign.length === 0) return []
    const present = memberPaths(response.json, '')
    const shown = foreign.find((member) => present.has(member))
    if (shown === undefined) return []
    const message = `The response has '${shown}', which is not in the document of this caller.`
    return [accessFinding(view, 'hidden-field-shown', path, message, response)]
  })
}

function describedMembers(view: CallerView, path: string): ReadonlySet<string> {
  const operation = view.operations.find((each) => each.method === 'GET' && each.path === path)
  const content = operation && responseFor(operation, 200)?.content
  const found = new Set<string>()
  for (const schema of content?.values() ?? []) collect(view.document, schema, '', found, 0)
  return found
}

/** Related items stand at most this deep in a response. */
const maxDepth = 8

function collect(
  document: object,
  node: DocumentNode | undefined,
  path: string,
  found: Set<string>,
  depth: number,
): void {
  if (!node || depth > maxDepth) return
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const list = memberNode(document, node, keyword)
    if (!list || !Array.isArray(list.value)) continue
    const branches = { value: { ...list.value }, pointer: list.pointer }
    for (const branch of memberNodes(document, branches).values())
      collect(document, branch, path, found, depth + 1)
  }
  collect(document, memberNode(document, node, 'items'), `${path}/*`, found, depth + 1)
  for (const [name, member] of memberNodes(document, memberNode(document, node, 'properties'))) {
    found.add(`${path}/${name}`)
    collect(document, member, `${path}/${name}`, found, depth + 1)
  }
}

function memberPaths(value: unknown, path: string, paths = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const each of value) memberPaths(each, `${path}/*`, paths)
  else if (isRecord(value))
    for (const [name, member] of Object.entries(value)) {
      paths.add(`${path}/${name}`)
      memberPaths(member, `${path}/${name}`, paths)
    }
  return paths
}
