import type { AccessRules } from '../access/access-rules.ts'
import type { Service } from '../adapter/service.ts'
import type { Clock, Context } from '../context/context.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { AnyModel } from '../model/declare/model.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { OpenApiDocument, OpenApiVersion } from '../openapi/document.ts'
import type { OwnRoute } from '../openapi/own-routes.ts'
import type { ChangeFeed } from '../operation/changes/change-feed.ts'
import type { UnitOfWork } from '../operation/unit-of-work/unit-of-work.ts'
import type { BatchRunner } from '../pipeline/batch-endpoint.ts'
import type { Deferral } from '../pipeline/deferral.ts'
import type { OperationRunner } from '../pipeline/model-endpoint.ts'
import type { RouterServices } from '../pipeline/router-services.ts'
import type { ServedPage } from '../pipeline/serve-page.ts'
import type { ChangePositionCodec } from '../query/change-position.ts'
import type { RuleDeclaration } from '../rule/declaration.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type {
  BatchRule,
  ModelRule,
  PolicyRouterRule,
  PolicyRule,
  RegisteredRuleParts,
  Rule,
} from '../rule/rule.ts'
import type { Store } from '../store/store.ts'
import type { CallerWrites } from '../store/store-call.ts'
import type { BeginObserver } from '../store/write-observer.ts'

/** What an option adds to a router. All that is about it stands in one folder. */
export interface Feature {
  /** Origins whose pages may send writes, besides those of `security.trustedOrigins`. */
  readonly trustedOrigins?: readonly string[]
  /** Paths outside of the base path at which it responds. */
  readonly paths?: readonly string[]
  /** What it tells hosts about the router. */
  readonly hostFacts?: Partial<Service>
  /** The path of the OpenAPI document below the base path, if the feature serves it. */
  readonly documentPath?: string
  /** Paths below the base path at which it serves pages. */
  readonly pagePaths?: readonly string[]
  /** Routes beside the rules, for the document. */
  readonly routes?: readonly OwnRoute[]
  /** Does it need the records of requests that the store keeps? */
  readonly keepsRequests?: boolean
  /** The models of which it needs what changed, which the store keeps then. */
  loggedModels?(models: readonly ModelDescription[]): readonly ModelDescription[]
  /** Models that it adds to those in the store. No client sees them, and no policy gets them. */
  storedModels?(models: readonly ModelDescription[]): readonly ModelDescription[]
  /** What it does around the writes of these models. */
  observers?(
    models: readonly ModelDescription[],
    writes: ObservedWrites,
  ): readonly BeginObserver<UnitOfWork>[]
  /** With what requests follow the log of changes. One feature of a router may have it. */
  readonly changeFeed?: ChangeFeed
  /** The models whose changes clients can follow with it. */
  followedModels?(models: readonly ModelDescription[]): readonly ModelDescription[]
  /** @throws RegistrationError if the option does not fit to the models of the router */
  registered?(models: readonly ModelDescription[]): void
  /** The access rules of a model as they hold with it. */
  accessRules?(
    model: AnyModel,
    rules: AccessRules | undefined,
    isClosed: boolean,
  ): AccessRules | undefined
  /** The field within whose values unique values of the model are unique. */
  uniqueWithin?(model: AnyModel): string | undefined
  /** What it adds to a rule; undefined where that is nothing. */
  completes?(rule: PolicyRule | PolicyRouterRule, services: RouterServices): RulePart | undefined
  /**
   * What runs the operation of a request of this rule, in place of its endpoint; undefined where
   * that does. One feature of a router may have it.
   */
  operationRunner?(rule: ModelRule, services: RouterServices): RunnerOf<OperationRunner> | undefined
  /** The same for batches. */
  batchRunner?(rule: BatchRule, services: RouterServices): RunnerOf<BatchRunner> | undefined
  /**
   * What carries out requests of this rule after their responses; undefined where nothing does. One
   * feature of a router may have it.
   */
  deferral?(rule: ModelRule): Deferral | undefined
  /** What the client of a request has written; a commit may set a header of the response. */
  writesOf?(request: ApiRequest, setHeader: Context['setHeader']): CallerWrites
  /** Parameters of challenges for bearer tokens. */
  bearerParameters?(): Readonly<Record<string, string>>
  /** All is registered, and requests come next. */
  frozen?(router: RouterFacts): void
  /**
   * The store is open.
   * @throws RegistrationError if the option does not fit to the store
   */
  opened?(router: RouterFacts): void
  /**
   * The pages that a group of callers gets, below the base path.
   * @throws RegistrationError if a rule has the path of a page
   */
  pages?(documents: DocumentsOfGroup, rules: readonly Rule[]): readonly ServedPage[]
  /** Handles requests of the open router around its rules and pages. */
  aroundRules?(handle: RequestHandler, router: Omit<RouterFacts, 'pagePaths'>): RequestHandler
  /** Handles requests around all that handles them without the feature, and around the opening. */
  around?(handle: RequestHandler): RequestHandler
  /** The same for the requests of a service beside the rules of the router. */
  aroundService?(handle: RequestHandler, service: ServiceBesideRules): RequestHandler
  /** Erases what it keeps of an item besides the item itself. @returns the number of entries */
  erase?(model: ModelDescription, id: string): Promise<number>
  /** The router closes; its store is open still. */
  close?(): Promise<void>
}

/** Writes of operations, also by code of the service; or items that are loaded. */
export type ObservedWrites = 'operations' | 'loads'

export type RequestHandler = (request: ApiRequest) => Promise<ApiResponse>

/** Called once request hooks have run. Undefined where the endpoint runs this request. */
export type RunnerOf<Runner> = (context: Context) => Runner | undefined

/** What a feature adds to a rule. */
export interface RulePart {
  /** What the document says of its operation. */
  readonly declaration: RuleDeclaration
  readonly members?: Partial<RegisteredRuleParts>
  /** Successful responses beside those that the policy has. */
  readonly otherResponses?: readonly ResponseShape[]
}

/** What features know of their router before it has models. */
export interface RouterSetup {
  /** The mount path. */
  readonly basePath: string
  /** The request headers that carry credentials, in lower case. */
  callerHeaders(): readonly string[]
  readonly store: Store
  /** The service's own address; empty if not configured. */
  baseUrl(): string
  /** The base URL, if configured, and the mount path. */
  urlPrefix(): string
  readonly clock: Clock
  /** Seals positions in the log of changes for clients. */
  readonly changePositions: ChangePositionCodec
  /** What the storage does around writes of these models, such as deleting files. */
  storageObservers(models: readonly ModelDescription[]): readonly BeginObserver[]
  /** How long an action may take, in milliseconds. */
  readonly actionTimeoutMs: number
  /** Called with errors that are not the client's fault. */
  onError(error: unknown): void
}

/** The document of a caller. */
export interface CallerDocument {
  /** The same for callers who get the same document. */
  readonly key: string
  /** Do other callers get a document with more operations or members? */
  readonly isPartial: boolean
  make(version: OpenApiVersion): OpenApiDocument
}

/** The documents that a group of callers gets. */
export interface DocumentsOfGroup {
  /** Do all callers of the router get one document? */
  readonly isForAll: boolean
  documentFor(caller: unknown): CallerDocument
}

/** What is known of a router that serves requests. */
export interface RouterFacts {
  readonly models: readonly ModelDescription[]
  readonly rules: readonly Rule[]
  /** Those of all features. */
  readonly pagePaths: readonly string[]
}

interface ServiceBesideRules {
  readonly basePath: string
  /** In upper case, without `OPTIONS`. */
  readonly methods: readonly string[]
}
