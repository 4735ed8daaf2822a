import fc from 'fast-check'
import type { ServiceState } from '../arbitrary/service-state.ts'
import type { CompiledSchemas } from '../compiled-schemas.ts'
import type { DescribedOperation } from '../described-operation.ts'
import type { Finding } from '../finding.ts'
import { isJson, type PlannedBody, plannedBodies } from '../plan/planned-body.ts'
import { plannedRequest } from '../plan/planned-request.ts'
import { collectionsIn } from '../probe/item-lifecycle.ts'
import { accessFinding } from './access-finding.ts'
import { type CallerResponse, type CallerView, sendAs } from './caller-view.ts'
import { itemTarget } from './compared-items.ts'
import type { ProbedItem } from './hidden-items.ts'
import { type IdPositions, memberAt } from './id-positions.ts'
import { responseDifference } from './response-difference.ts'

/** What makes requests with a body. */
export interface BodySource {
  readonly state: ServiceState
  readonly schemas: CompiledSchemas
  readonly seed: number
}

/** A request for the item with an id. */
interface Probe {
  readonly subject: string
  readonly method: string
  send(id: string): Promise<CallerResponse>
}

/** Sends requests for a hidden item, and the same for items that do not exist. */
export async function probeHiddenItem(
  item: ProbedItem,
  probes: readonly Probe[],
): Promise<readonly Finding[]> {
  const { view, id, missing, seenBy } = item
  const findings: Finding[] = []
  for (const { subject, send } of probes) {
    const responses = [await send(missing[0]), await send(missing[1])] as const
    if (responses[0].status === 201) continue
    const response = await send(id)
    const difference = responseDifference(response, responses, [id, ...missing])
    if (difference === undefined) continue
    const message = `'${seenBy.caller.name}' sees '${item.target}'. For this caller it must not exist, but ${difference}.`
    findings.push(accessFinding(view, 'hidden-item-detectable', subject, message, response))
  }
  return findings
}

/** Requests to the address of the item and to those below it: related items, files, actions. */
export function itemProbes(
  { view, collection, tag }: ProbedItem,
  kind: 'read' | 'write',
  bodies: BodySource,
): readonly Probe[] {
  const prefix = `${collection.path}/{`
  return view.operations
    .filter(
      ({ path, method }) => path.startsWith(prefix) && (method === 'GET') === (kind === 'read'),
    )
    .flatMap((operation) => {
      const targetOf = (id: string) =>
        operation.path
          .slice(collection.path.length)
          .replace(/^\/\{[^/]+\}/, () => itemTarget(collection.path, id))
          .replaceAll(/\{[^/]+\}/g, 'x')
      return kind === 'read'
        ? readProbes(view, operation, targetOf, tag)
        : writeProbes(view, operation, targetOf, tag, bodies)
    })
}

function readProbes(
  view: CallerView,
  { id: subject }: DescribedOperation,
  targetOf: (id: string) => string,
  tag: string | undefined,
): readonly Probe[] {
  const probe = (method: string, headers: Readonly<Record<string, string>>): Probe => ({
    subject,
    method,
    send: (id) => sendAs(view, method, targetOf(id), { headers }),
  })
  return [
    probe('GET', {}),
    probe('HEAD', {}),
    ...[tag ?? [], '*'].flat().map((tags) => probe('GET', { 'if-none-match': tags })),
  ]
}

function writeProbes(
  view: CallerView,
  operation: DescribedOperation,
  targetOf: (id: string) => string,
  tag: string | undefined,
  { state, schemas, seed }: BodySource,
): readonly Probe[] {
  const samples = fc.sample(
    plannedBodies(state, schemas, operation, (values) => values),
    { numRuns: 1, seed },
  )
  const conditions = [{}, ...[tag ?? [], '*'].flat().map((tags) => ({ 'if-match': tags }))]
  const probe = (body: PlannedBody, condition: Readonly<Record<string, string>>): Probe => ({
    subject: operation.id,
    method: operation.method,
    send: (id) => {
      const planned = plannedRequest(
        operation,
        targetOf(id),
        body,
        'anyDocumentedResponse',
        condition,
      )
      return sendAs(view, operation.method, planned.requestTarget, planned)
    },
  })
  return [
    ...samples.flatMap((body) => conditions.map((condition) => probe(body, condition))),
    ...wrongBodies(operation).map((body) => probe(body, {})),
  ]
}

/** No operation takes an empty array, which must not be said before the item is looked for. */
function wrongBodies({ body }: DescribedOperation): readonly PlannedBody[] {
  return [...(body?.content.keys() ?? [])]
    .filter(isJson)
    .map((contentType) => ({ contentType, content: '[]', isValid: false }))
}

/** Creations of items that are related to the item. */
export function linkProbes(
  { view, collection }: ProbedItem,
  { state, schemas, seed }: BodySource,
): readonly Probe[] {
  const plural = collection.path.slice(collection.path.lastIndexOf('/') + 1)
  const placeholder = '{related item}'
  const withItem: ServiceState = {
    ...state,
    ids: (name) => (name === plural ? [placeholder] : state.ids(name)),
  }
  return collectionsIn(view.operations).flatMap(({ create }) => {
    const bodies = fc.sample(
      plannedBodies(withItem, schemas, create, (values) => values),
      { numRuns: 10, seed },
    )
    const body = bodies.find(
      ({ content }) => typeof content === 'string' && content.includes(placeholder),
    )
    if (!body) return []
    const send = (id: string) => {
      const content = String(body.content).replaceAll(placeholder, () =>
        JSON.stringify(id).slice(1, -1),
      )
      const planned = plannedRequest(
        create,
        create.path,
        { ...body, content },
        'anyDocumentedResponse',
      )
      return sendAs(view, 'POST', create.path, planned)
    }
    return [{ subject: create.id, method: 'POST', send }]
  })
}

/** Filters of lists by the id of the item: of its own list, and of relations to it. */
export function filterProbes(
  { view, collection }: ProbedItem,
  positions: IdPositions,
): readonly Probe[] {
  return view.operations
    .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
    .flatMap(({ id: subject, path, parameters }) => {
      const related = [...positions]
        .filter(
          ([position, collections]) =>
            position.startsWith(`${path}/`) &&
            collections.length === 1 &&
            collections[0] === collection,
        )
        .map(([position]) => memberAt(position))
      const names = new Set(path === collection.path ? ['id', ...related] : related)
      return parameters
        .filter(({ name, location }) => location === 'query' && names.has(filteredMember(name)))
        .map(({ name }) => ({
          subject,
          method: 'GET',
          send: (id: string) =>
            sendAs(view, 'GET', `${path}?${encodeURIComponent(name)}=${encodeURIComponent(id)}`),
        }))
    })
}

/** `speaker` of `filter[speaker]`. */
export function filteredMember(parameter: string): string {
  return /^filter\[([^\]]+)\]$/.exec(parameter)?.[1] ?? parameter
}
