import type { Router } from '../api/router.ts'
import { responseText } from '../http/response-text.ts'
import { ServiceRequest } from '../http/service-request.ts'
import type { AnyModel } from '../model/declare/model.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { Rule } from '../rule/rule.ts'
import type { WebhookEvent } from './webhook-models.ts'

/** What happened to an item, as the owner of a webhook sees it. */
export interface OwnerChange {
  readonly event: WebhookEvent
  /** Null for `reset`. */
  readonly id: string | null
}

/** What changed since a position. */
export interface OwnerChanges {
  readonly changes: readonly OwnerChange[]
  /** The position after them; undefined where the owner may not read the list. */
  readonly next: string | undefined
  readonly isEnd: boolean
}

/** What a router serves of a model. */
export interface FollowedModel {
  readonly name: string
  /** The path of the feed, from the root. */
  readonly feedPath: string
  /** The path of the list, from the root. */
  readonly listPath: string
  /** A media type of the router. */
  readonly accept: string
}

/** The parts of a router that read in the name of an owner. */
type Reader = Pick<Router, 'respond'>

/** @throws RegistrationError if nobody can follow the model */
export function followedModel(
  { basePath, rules }: Pick<Router, 'basePath' | 'rules'>,
  model: AnyModel,
): FollowedModel {
  for (const rule of rules)
    if (rule.operation === 'GetChanges' && rule.view.model.model === model)
      return {
        name: model.modelName,
        feedPath: basePath + rule.path,
        listPath: `${basePath}/${rule.view.model.plural}`,
        accept: Object.keys(rule.response.contents())[0] ?? 'application/json',
      }
  throw new RegistrationError(
    `webhooks() tells of changes of the model '${model.modelName}', which nobody can follow on this router. Set the option 'changes' of createRouter() or of the model.`,
  )
}

/** The models whose changes some reader of these rules may get. */
export function readableModels(
  models: readonly FollowedModel[],
  rules: readonly Rule[],
): readonly FollowedModel[] {
  const names = new Set(
    rules.map((rule) =>
      rule.operation === 'GetChanges' && !rule.isAlwaysRefused ? rule.view.model.name : undefined,
    ),
  )
  return models.filter(({ name }) => names.has(name))
}

/**
 * Reads what changed, under the access rules of the owner.
 * @param since undefined for the position of now
 */
export async function readOwnerChanges(
  router: Reader,
  owner: unknown,
  model: FollowedModel,
  since: string | undefined,
): Promise<OwnerChanges> {
  const query = since === undefined ? '' : `since=${encodeURIComponent(since)}`
  const { status, body } = await readAs(router, owner, model.feedPath, model, query)
  if (status === 200) return pageOf(body)
  // The position is too old, or one of other rules.
  if (since !== undefined && (status === 400 || status === 410)) {
    const { next } = await readOwnerChanges(router, owner, model, undefined)
    return { changes: [{ event: 'reset', id: null }], next, isEnd: true }
  }
  return { changes: [], next: undefined, isEnd: true }
}

/** The item as its owner reads it; undefined where that is not at all. */
export async function readOwnerItem(
  router: Reader,
  owner: unknown,
  model: FollowedModel,
  id: string,
): Promise<unknown> {
  const path = `${model.listPath}/${encodeURIComponent(id)}`
  const { status, body } = await readAs(router, owner, path, model, '')
  if (status !== 200) return undefined
  // JSON:API has it as `data`, and plain REST by the name of the model.
  return body['data'] ?? body[model.name]
}

type Body = Readonly<Record<string, unknown>>

/** @throws Error if the router cannot respond now */
async function readAs(
  router: Reader,
  owner: unknown,
  path: string,
  { accept }: FollowedModel,
  query: string,
): Promise<{ readonly status: number; readonly body: Body }> {
  const response = await router.respond(new ServiceRequest(owner, { path, query, accept }))
  const { status } = response
  if (status >= 500) throw new Error(`The service responded with ${status} to its own '${path}'.`)
  return { status, body: JSON.parse(await responseText(response)) }
}

const eventOfKind: Readonly<Record<string, WebhookEvent>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
}

function pageOf(body: Body): OwnerChanges {
  const { changes, next, isEnd } = (body['meta'] ?? body) as {
    readonly changes: readonly { readonly kind: string; readonly id?: string }[]
    readonly next: string
    readonly isEnd: boolean
  }
  return {
    changes: changes.map(({ kind, id = null }) => ({ event: eventOfKind[kind] ?? 'reset', id })),
    next,
    isEnd,
  }
}
