import { test } from 'vitest'
import { createRouter, type Policy, type Router } from '../../index.ts'
import { isModelRule, type ModelOperation, type ModelRule, pathView } from '../../policy/public.ts'
import { memoryBlobs } from '../../store/memory/memory.ts'
import type { Store } from '../../store/public.ts'
import {
  type DescribedOperation,
  describedService,
  isJson,
  type ServiceClient,
} from '../../tools/check/described-service.ts'
import { loadModels } from './models.ts'
import { type StoreKind, withItems, withRawJson } from './store-kinds.ts'

type OptionalOperation =
  | 'GetCapabilities'
  | 'GetChanges'
  | 'GetGroups'
  | 'GetVersions'
  | 'GetVersion'
  | 'RestoreVersion'
  | 'GetTrash'
  | 'GetTrashedItem'
  | 'RestoreItem'
  | 'PurgeItem'

/** A router has the other operations only if an option of it, or of a model, asks for them. */
const isTested: Readonly<Record<Exclude<ModelOperation, OptionalOperation>, true>> = {
  GetList: true,
  GetItem: true,
  CreateItem: true,
  UpdateItem: true,
  ReplaceItem: true,
  DeleteItem: true,
  ItemMethodApiOperation: true,
  ItemApiOperation: true,
  GetResource: true,
  SetResource: true,
  DeleteResource: true,
  RelatedGet: true,
  RelationshipGet: true,
  RelationshipPost: true,
  RelationshipPatch: true,
  RelationshipDelete: true,
}

export const testedOperations: readonly ModelOperation[] = Object.keys(isTested) as ModelOperation[]

/** The ids that a relation holds: one id or null, or an array of ids. */
export type Ids = string | null | readonly string[]

/** An item to send. */
export interface SentItem {
  readonly name: string
  readonly plural: string
  /** Undefined for a new item whose id the service chooses. */
  readonly id: string | undefined
  readonly values: Readonly<Record<string, unknown>>
  readonly relations: Readonly<Record<string, Ids>>
  /** The plurals of the related models, by relation. */
  readonly relatedPlurals: Readonly<Record<string, string>>
}

/** The id, the values and the ids of the relations of an item, side by side. */
export type ReceivedItem = Readonly<Record<string, unknown>>

/** A policy, and how its documents hold items. Documents are parsed JSON. */
export interface OpenedPolicy {
  readonly policy: Policy
  itemDocument(item: SentItem): unknown
  // biome-ignore lint/suspicious/noExplicitAny: only the policy knows the form of its documents
  readItem(document: any): ReceivedItem
  // biome-ignore lint/suspicious/noExplicitAny: only the policy knows the form of its documents
  readList(document: any): readonly ReceivedItem[]
  // biome-ignore lint/suspicious/noExplicitAny: only the policy knows the form of its documents
  readErrorCodes(document: any): readonly string[]
  /** The ids of a relation in bodies of their own, if the policy has such operations. */
  readonly linkage?: LinkageDocuments
  /** The input and the output of actions, if the policy has actions. */
  readonly action?: ActionDocuments
  /** Operations that the policy does not have, on purpose. All others are tested. */
  readonly missingOperations: readonly ModelOperation[]
}

/** How documents hold the ids of one relation. */
export interface LinkageDocuments {
  write(relatedPlural: string, ids: Ids): unknown
  // biome-ignore lint/suspicious/noExplicitAny: only the policy knows the form of its documents
  read(document: any): Ids
}

/** How documents hold the input and the output of an action. */
export interface ActionDocuments {
  write(input: unknown): unknown
  // biome-ignore lint/suspicious/noExplicitAny: only the policy knows the form of its documents
  read(document: any): unknown
}

export type OpenPolicy = () => OpenedPolicy

interface ContractRequest {
  readonly id?: string
  readonly relation?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Parsed JSON, or the text of the body. */
  readonly document?: unknown
  readonly text?: string
}

export interface ContractResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Undefined without a body, and where the body is no JSON. */
  readonly document: unknown
}

/** A service with the policy over the models of the contract. */
export interface PolicyService {
  readonly opened: OpenedPolicy
  readonly router: Router
  readonly rules: readonly ModelRule[]
  /**
   * The rule of an operation. Skips the test if the policy lists the operation as missing.
   * @param member the relation, the action or the file field that the rule is about
   */
  rule(operation: ModelOperation, plural: string, member?: string): ModelRule
  /** Sends a request, and compares the response with the OpenAPI document. */
  send(rule: ModelRule, request?: ContractRequest): Promise<ContractResponse>
  /** Sends a request that no rule describes. */
  sendRaw(method: string, target: string): Promise<ContractResponse>
  itemDocument(
    plural: 'books' | 'authors' | 'genres' | 'posters',
    id: string | undefined,
    values: Readonly<Record<string, unknown>>,
    relations?: Readonly<Record<string, Ids>>,
  ): unknown
}

export interface PolicySuite {
  /** The titles of the tests declared so far. */
  readonly titles: ReadonlySet<string>
  /** A test with a service of its own. */
  alone(title: string, body: TestBody): void
  /** The same on each kind of store: with and without raw JSON. */
  onEachStore(title: string, body: TestBody): void
}

export type TestBody = (service: PolicyService) => Promise<void>

export function suiteOf(open: OpenPolicy, skips: Readonly<Record<string, string>>): PolicySuite {
  const titles = new Set<string>()
  const declare = (title: string, body: TestBody, kinds: readonly StoreKind[]): void => {
    titles.add(title)
    const reason = skips[title]
    if (reason !== undefined) test.skip(`${title} (skipped: ${reason})`, () => {})
    for (const kind of reason === undefined ? kinds : [])
      test(`${title}${kind.suffix}`, { timeout: 120_000 }, ({ skip }) =>
        runOnStore(kind, open(), body, skip),
      )
  }
  return {
    titles,
    alone: (title, body) => declare(title, body, [withItems]),
    onEachStore: (title, body) => declare(title, body, [withItems, withRawJson]),
  }
}

/** Runs a test with a service of its own. */
export function runOnStore(
  { use }: StoreKind,
  opened: OpenedPolicy,
  body: TestBody,
  skip: (note: string) => never,
): Promise<void> {
  return use(async (store) => {
    const service = await openService(opened, store, skip)
    try {
      await body(service)
    } finally {
      await service.router.close()
      await store.close()
    }
  })
}

async function openService(
  opened: OpenedPolicy,
  store: Store,
  skip: (note: string) => never,
): Promise<PolicyService> {
  const router = createRouter({ policy: opened.policy, store, blobs: memoryBlobs() })
  await loadModels(router)
  const document = router.toOpenApi({ info: { title: 'Contract', version: '1' } })
  const client = clientOf(router)
  const { operations, send: verifiedSend } = describedService(document, client)
  const rules = router.rules.filter(isModelRule)
  return {
    opened,
    router,
    rules,
    rule(operation, plural, member) {
      if (opened.missingOperations.includes(operation))
        return skip(`The policy has no ${operation}.`)
      const found = rules.find(
        (rule) =>
          rule.operation === operation &&
          pathView(rule).model.plural === plural &&
          memberOf(rule) === member,
      )
      if (found) return found
      throw new Error(
        `The policy has no ${operation} at '${[plural, member].filter(Boolean).join('.')}'. ` +
          "If that is intended, list it in 'missingOperations'.",
      )
    },
    async send(rule, { id = '', query = '', headers = {}, document, text } = {}) {
      const mediaType = 'mediaTypes' in rule.request ? rule.request.mediaTypes[0] : undefined
      const body = text ?? (document === undefined ? undefined : JSON.stringify(document))
      const { body: received, ...response } = await verifiedSend({
        operation: operationOf(operations, rule),
        method: rule.method,
        requestTarget: rule.path.replace(':id', encodeURIComponent(id)) + query,
        headers: {
          ...(body !== undefined && mediaType && { 'content-type': mediaType }),
          ...headers,
        },
        body,
        expectedOutcome: 'anyDocumentedResponse',
      })
      return responseOf(response, received)
    },
    async sendRaw(method, requestTarget) {
      const { body, ...response } = await client.send({ method, requestTarget, headers: {} })
      return responseOf(response, body)
    },
    itemDocument: (plural, id, values, relations = {}) =>
      opened.itemDocument({
        name: plural.slice(0, -1),
        plural,
        id,
        values,
        relations,
        relatedPlurals: { author: 'authors', genres: 'genres', books: 'books' },
      }),
  }
}

/** The relation, the action or the file field that a rule is about. */
function memberOf({ target }: ModelRule): string | undefined {
  switch (target.kind) {
    case 'list':
    case 'item':
      return undefined
    case 'related':
    case 'linkage':
      return target.relation.wireName
    case 'action':
      return target.action.name
    case 'resource':
      return target.path.segments.join('/')
  }
}

function operationOf(
  operations: readonly DescribedOperation[],
  { method, path }: ModelRule,
): DescribedOperation {
  const template = path.replaceAll(/:(\w+)/g, '{$1}')
  const operation = operations.find((entry) => entry.method === method && entry.path === template)
  if (!operation) throw new Error(`The OpenAPI document has no ${method} ${template}.`)
  return operation
}

function responseOf(
  { status, headers }: Pick<ContractResponse, 'status' | 'headers'>,
  body: Buffer,
): ContractResponse {
  const text = body.toString()
  const hasDocument = text !== '' && isJson(headers['content-type'] ?? '')
  return { status, headers, text, document: hasDocument ? JSON.parse(text) : undefined }
}

/** Sends requests to the router, without a socket. */
function clientOf(router: Router): ServiceClient {
  return {
    async send({ method, requestTarget, headers, body }) {
      const request = new Request(`http://localhost${requestTarget}`, {
        method,
        headers,
        ...(body !== undefined && { body: body as string }),
      })
      const response = await router.handle(request)
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: Buffer.from(await response.arrayBuffer()),
      }
    },
  }
}
