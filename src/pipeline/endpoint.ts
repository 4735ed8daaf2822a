import { oncePer } from '../cache/once-per.ts'
import type { Context } from '../context/context.ts'
import { type Precondition, writePrecondition } from '../http/precondition.ts'
import type { Hooks } from '../middleware/hooks.ts'
import type { ModelDescription } from '../model/description.ts'
import type { Result, WrittenPages } from '../operation/job.ts'
import { allPermitted, type Permits } from '../operation/side-changes.ts'
import { untilSettled, Validations } from '../operation/validations.ts'
import type { ModelOperation } from '../rule/operations.ts'
import { parameterReader } from '../rule/parameter/read-parameters.ts'
import type { ModelRule, ResponseShape } from '../rule/rule.ts'
import { type Selection, wholeSelection } from '../rule/selection.ts'
import type { SentInput, SentItem } from '../serializer/sent.ts'
import { changingMany, onBehalf } from '../store/on-behalf.ts'
import type { StoreAccess } from '../store/store.ts'
import { addressOf } from './address.ts'
import { askingOthers, type OtherUpdates, type Outcome } from './ask-others.ts'
import { type KeptDocuments, keptDocuments } from './kept-documents.ts'
import { listForm } from './list-form.ts'
import { narrower, ownerNarrower } from './narrow.ts'
import { type AnyJob, implementations } from './operate.ts'
import type { Parts } from './parts.ts'
import type { Placed } from './place-window.ts'
import type { ReachedHooks } from './reached-hooks.ts'
import { isStoredForm, type Representer, representer } from './represent.ts'
import { writtenPages } from './written-items.ts'

const noPrecondition: Precondition = Object.freeze({ kind: 'none' })

/** A rule about one model, with all that is decided about it at registration. */
export interface ModelEndpoint {
  readonly kind: 'model'
  readonly rule: ModelRule
  readonly hooks: Hooks
  /** Request hooks of other models, beside those that run in any case, by what parameters and body lead to. */
  readonly further: ReachedHooks['further']
  readonly representers: ReadonlyMap<ModelDescription, Representer>
  /** The same for clients that would rather have another media type; undefined where there is one alone. */
  readonly otherwise: ModelEndpoint | undefined
  readonly pages: WrittenPages
  documents(selection: Selection): KeptDocuments | undefined
  address(context: Context): string
  select(query: string): Selection
  narrow(selection: Selection, context: Context): Placed | Promise<Placed>
  operate(
    context: Context,
    placed: Placed,
    selection: Selection,
    sent: SentItem | SentInput | undefined,
  ): Promise<Outcome>
  /** The models whose items it may come to change beside its own. */
  readonly others: OtherUpdates
  /** The same in a transaction that is under way, for who asks others about it himself. */
  operateIn(
    store: StoreAccess,
    permits: Permits,
    validations: Validations,
    context: Context,
    placed: Placed,
    sent: SentItem | undefined,
  ): Promise<Result>
}

export function modelEndpoint(
  parts: Parts,
  rule: ModelRule,
  ownHooks: Hooks,
  reached: ReachedHooks,
  others: OtherUpdates,
): ModelEndpoint {
  const { guards, views, patience, validationTimeoutMs } = parts
  const { view, through, action, request } = rule
  const { requireMatch } = (through ?? rule).view
  const hooks: Hooks = { ...ownHooks, request: [...ownHooks.request, ...reached.always] }
  const operation = implementations[rule.operation]
  const representers = representersOf(parts)
  const own = representers.get(view.model)!
  const pages = writtenPages(parts, rule.response.serializer)
  const documents = keptDocuments(parts.writtenDocuments, rule)
  const form = listForm(pages, rule, representers)
  const isRead = rule.method === 'GET'
  const isList = rule.response.content === 'list'
  const changesMany = changingOthers.has(rule.operation)
  const missingRelated = 'missingRelated' in request ? request.missingRelated : 'related-not-found'
  const owner = through && ownerNarrower(parts, rule, through, hooks.owner)
  const jobOf = (
    store: StoreAccess,
    context: Context,
    { plan, bound, isLast }: Placed,
    selection: Selection,
    sent: SentItem | SentInput | undefined,
    permits: Permits,
    validations: Validations,
  ): AnyJob => ({
    store,
    view,
    context,
    guards,
    plan,
    bound,
    isLast,
    page: selection.page,
    form: form(selection),
    isPlain: isStoredForm(own, selection),
    documents: documents(selection),
    withCount: selection.withCount,
    precondition: isRead ? noPrecondition : writePrecondition(context.request.headers),
    requireMatch,
    missingRelated,
    permits,
    validations,
    maxItemValues: parts.limits.maxItemValues,
    views,
    patience,
    // Operations that read a body stand behind rules that decode one; those on relations and actions, behind rules that name one; so do
    // those on binary resources, which only routers with blobs have.
    sent: sent as AnyJob['sent'],
    input: sent as AnyJob['input'],
    action: action as AnyJob['action'],
    serializer: rule.response.serializer,
    through: through as AnyJob['through'],
    resource: rule.resource as AnyJob['resource'],
    blobs: parts.blobs as AnyJob['blobs'],
    variants: parts.variants as AnyJob['variants'],
    owner: owner?.(context) as AnyJob['owner'],
  })
  return {
    kind: 'model',
    rule,
    hooks,
    further: reached.further,
    representers,
    otherwise:
      rule.response.otherwise &&
      modelEndpoint(parts, otherRule(rule, rule.response.otherwise), ownHooks, reached, others),
    pages,
    documents,
    address: addressOf(parts, rule),
    select: parameterReader(rule.parameters),
    narrow: narrower(parts, view.model, hooks.query, through ? 'owner' : 'item', isList ? 'list' : 'items'),
    operate: (context, placed, selection, sent) => {
      const validations = new Validations(validationTimeoutMs, context)
      const perform = (permits: Permits) => {
        const job = () =>
          jobOf(
            onBehalf(parts.store, changesMany ? changingMany(context) : context, parts.limits.maxChangedItems),
            context,
            placed,
            selection,
            sent,
            permits,
            validations,
          )
        return isRead ? operation(job()) : untilSettled(validations, () => operation(job()))
      }
      return others.size === 0 ? perform(allPermitted) : askingOthers(others, context, perform)
    },
    others,
    operateIn: (store, permits, validations, context, placed, sent) =>
      operation(jobOf(store, context, placed, wholeSelection, sent, permits, validations)),
  }
}

/** Deletions reach what refers to the item, and relationships may be stored at the items that they name. */
const changingOthers: ReadonlySet<ModelOperation> = new Set([
  'DeleteItem',
  'RelationshipPost',
  'RelationshipPatch',
  'RelationshipDelete',
])

function otherRule(rule: ModelRule, { serializer }: Pick<ResponseShape, 'serializer'>): ModelRule {
  const { otherwise: _, ...response } = rule.response
  return Object.freeze({ ...rule, response: { ...response, serializer } })
}

/** The same for all rules of a router. */
const representersOf = oncePer(
  (parts: Parts): ReadonlyMap<ModelDescription, Representer> =>
    new Map(parts.views.all.map((one) => [one.model, representer(parts, one)])),
)
