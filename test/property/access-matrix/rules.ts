import type { AccessSymbols } from 'resourcery'
import { type ModelName, ruledRollups } from './state.ts'
import { type MatrixCaller, missingFields, refusalOf, type Setting } from './visible.ts'

type Condition = AccessSymbols<never, never>['anyone']

export interface ModelRules {
  readonly read?: Condition
  readonly create?: Condition
  readonly update?: Condition
  readonly delete?: Condition
  readonly actions?: Readonly<Record<string, Condition>>
  readonly set?: Readonly<Record<string, unknown>>
  readonly fields?: Readonly<
    Record<string, { readonly read?: Condition; readonly write?: Condition }>
  >
}

/** The symbols without types, because the members of the models vary. */
// biome-ignore lint/suspicious/noExplicitAny: the members of the models vary
export type AnySymbols = AccessSymbols<any, any> & { readonly item: any; readonly caller: any }

/** The rules of the models; undefined where `security.defaultAccess` decides. */
export function rulesOf(name: ModelName, symbols: AnySymbols): ModelRules | undefined {
  const { item, before, caller, now, anyone, nobody, signedIn } = symbols
  const isAdmin: Condition = caller.roles.contains('admin')
  switch (name) {
    case 'team':
      return {
        read: item.open.equal(true).or(item.lead.equal(caller.id), isAdmin),
        create: signedIn,
        update: before.lead
          .equal(caller.id)
          .and(item.open.equal(true).or(before.open.equal(false)))
          .or(isAdmin),
        delete: isAdmin,
        set: { lead: caller.id },
        fields: {
          motto: { read: item.lead.equal(caller.id) },
          budget: { read: isAdmin },
        },
      }
    case 'person':
      return {
        read: item.active.equal(true).or(item.id.equal(caller.id), isAdmin),
        create: isAdmin,
        update: item.id.equal(caller.id).or(isAdmin),
        delete: isAdmin,
        fields: {
          email: { read: item.id.equal(caller.id).or(isAdmin), write: nobody },
          nick: { read: item.team.lead.equal(caller.id).or(isAdmin) },
          address: { read: signedIn },
          team: { write: isAdmin },
          mentor: { read: item.id.equal(caller.id) },
          photo: { read: item.id.equal(caller.id) },
          badge: { read: isAdmin },
          joined: {
            read: item.mentees
              .some((person: AnySymbols['item']) => person.active.equal(false))
              .not()
              .or(item.id.equal(caller.id)),
            write: item.id.equal(caller.id).or(isAdmin),
          },
        },
      }
    case 'talk':
      return {
        read: item.status.equal('accepted').or(
          item.speaker.equal(caller.id),
          item.reviewers.contains(caller.id),
          item.comments.some((comment: AnySymbols['item']) =>
            comment.author.equal(caller.id).and(comment.stars.greaterThan(1)),
          ),
          isAdmin,
        ),
        create: signedIn.and(item.status.equal('draft')),
        update: item.speaker.equal(caller.id).or(isAdmin),
        delete: isAdmin.or(item.speaker.equal(caller.id)),
        actions: {
          // Those who comment see what they have written.
          accept: isAdmin.or(
            item.comments.some((comment: AnySymbols['item']) => comment.author.equal(caller.id)),
          ),
          acceptLater: isAdmin,
          rename: item.speaker.equal(caller.id),
          renameLater: item.speaker.equal(caller.id),
          search: anyone,
        },
        set: { speaker: caller.id },
        fields: {
          status: { write: nobody },
          score: { read: isAdmin },
          notes: { read: item.speaker.equal(caller.id) },
          fee: {
            read: item.speaker.equal(caller.id).or(isAdmin, item.place.room.startsWith('open')),
          },
          startsAt: {
            read: item.startsAt.lessThanOrEqual(now).or(item.speaker.equal(caller.id)),
            write: item.speaker.equal(caller.id),
          },
          slot: {
            read: item.reviewers
              .some((person: AnySymbols['item']) => person.team.open.equal(true))
              .or(item.speaker.equal(caller.id)),
            write: item.speaker.equal(caller.id).or(isAdmin),
          },
          rank: {
            read: anyone,
            write: before.rank.isNull().or(before.rank.equal(0).and(item.rank.greaterThan(0))),
          },
          rating: { read: item.speaker.equal(caller.id).or(isAdmin) },
          best: { read: item.speaker.equal(caller.id).or(isAdmin) },
          commentCount: { read: isAdmin },
          sponsors: { read: item.speaker.equal(caller.id).or(isAdmin) },
          slides: {
            read: item.status.equal('accepted').or(item.speaker.equal(caller.id), isAdmin),
          },
        },
      }
    case 'comment':
      return {
        read: item.internal
          .equal(false)
          .or(item.talk.speaker.equal(caller.id), item.author.equal(caller.id), isAdmin),
        create: signedIn,
        update: item.author.equal(caller.id).or(item.talk.speaker.equal(caller.id)),
        delete: item.author.equal(caller.id).or(isAdmin),
        set: { author: caller.id },
        fields: {
          stars: {
            read: item.author.equal(caller.id).or(item.talk.speaker.equal(caller.id), isAdmin),
          },
        },
      }
    case 'track':
      return { fields: { host: { read: signedIn } } }
    case 'vault':
      return { read: nobody, create: anyone, update: anyone, delete: nobody }
  }
}

/**
 * The rules of a twin: nothing is hidden, because the twin has only what the caller sees. What
 * callers may change is the same, and so is whom a rule refuses whatever the item.
 */
export function twinRulesOf(
  name: ModelName,
  symbols: AnySymbols,
  setting: Setting,
  caller: MatrixCaller,
): ModelRules {
  const { anyone, nobody, signedIn } = symbols
  const rules = rulesOf(name, symbols) ?? {}
  const byDefault = setting.access === 'closed' ? nobody : anyone
  const within = (rule: Condition = byDefault) => (setting.hasTenants ? signedIn.and(rule) : rule)
  const isOpen = setting.access === 'open' && name === 'track' && !setting.hasTenants
  // Holds for all, as a rule about callers.
  const all = signedIn.or(signedIn.not())
  const refusal = refusalOf(name, setting, caller)
  const missing = missingFields(caller)
  return {
    read: { always: nobody, anonymous: signedIn, never: isOpen ? anyone : all }[refusal],
    create: within(rules.create),
    update: within(rules.update),
    delete: within(rules.delete),
    ...(rules.actions && { actions: rules.actions }),
    ...(rules.set && { set: rules.set }),
    fields: Object.fromEntries(
      Object.entries(rules.fields ?? {})
        .filter(([member]) => !missing.has(`${name}.${member}`))
        .map(([member, { read = anyone, write = read }]) => [
          member,
          // The twin has what comments make together, but for the hidden ones.
          ruledRollups.has(`${name}.${member}`) ? { read } : { write },
        ]),
    ),
  }
}
