import {
  type AccessCallback,
  type Authenticator,
  createRouter,
  model,
  toMany,
  toOne,
} from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const Person = model('person', { name: z.string() })
const Team = model('team', {
  name: z.string(),
  organization: z.string().default('acme'),
  lead: toOne('person'),
  memberships: toMany('membership', { inverse: 'team' }),
})
const Membership = model('membership', { team: toOne('team'), person: toOne('person') })
const Caller = z.object({
  id: z.string(),
  organization: z.string(),
  organizations: z.array(z.string()).nullable(),
})

const token: Authenticator<z.input<typeof Caller>> = {
  name: 'token',
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: () => undefined,
}

/** Without types, because the compiler refuses most of these rules too. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Symbols = any
type Rules = (symbols: Symbols) => ReturnType<AccessCallback<never, never>>

function routerWith(rules?: Rules, tenant?: 'organization' | 'organizations') {
  const router = createRouter({
    policy: rest(),
    store: memory(),
    security: {
      authentication: [token],
      callerSchema: Caller,
      defaultAccess: 'closed',
      ...(tenant && {
        tenant: { field: 'organization', equal: (caller) => caller[tenant] },
      }),
    },
  })
  const person = router.prepare(Person)
  person.access(({ item, caller }) => ({ read: item.id.equal(caller.id) }))
  const team = router.prepare(Team)
  if (rules) team.access(rules as never)
  router.prepare(Membership)
  return { router, team }
}

describe('Access rules at registration', () => {
  it('take a tenant that is one value', async () => {
    await expect(routerWith(undefined, 'organization').router.open()).resolves.toBeUndefined()
  })

  it.each<[string, Rules]>([
    ["'caller.id'", ({ item, caller }) => ({ read: item.name.equal(`team-${caller.id}`) })],
    ["'item.name'", ({ item, caller }) => ({ read: caller.id.equal(item.name + 1) })],
    ['now', ({ item, now }) => ({ read: item.name.equal(`${now}`) })],
  ])('refuse %s as part of a text, which would be computed once', async (shown, rules) => {
    await expect(async () => routerWith(rules).router.open()).rejects.toThrow(
      `The access rules of 'team' are invalid: ${shown} stands for a value of each request`,
    )
  })

  it('refuse a tenant that is part of a text', () => {
    const tenant = { field: 'organization', equal: (caller: Symbols) => `x-${caller.id}` as never }
    expect(() =>
      createRouter({
        policy: rest(),
        store: memory(),
        security: { authentication: [token], callerSchema: Caller, tenant },
      }),
    ).toThrow(
      "'equal' of the option 'security.tenant' is invalid: 'caller.id' stands for a value of each request",
    )
  })

  it('refuse a list of tenants, because the field holds one', async () => {
    await expect(routerWith(undefined, 'organizations').router.open()).rejects.toThrow(
      /'organizations' of the caller, which is a list/,
    )
  })

  it.each<[string, Rules]>([
    [
      'one value with a list',
      ({ item, caller }) => ({ read: item.name.equal(caller.organizations) }),
    ],
    ['a list with a text', ({ caller }) => ({ read: caller.organizations.equal('acme') })],
    [
      'a text with a list',
      ({ item, caller }) => ({ read: item.name.startsWith(caller.organizations) }),
    ],
    ['what they set to a list', ({ caller }) => ({ set: { name: caller.organizations } })],
  ])('refuse to compare %s', async (_, rules) => {
    await expect(routerWith(rules).router.open()).rejects.toThrow(/is a list/)
  })

  it.each<[string, Rules]>([
    ['a to-many relation', ({ item, caller }) => ({ read: item.memberships.contains(caller.id) })],
    ['an id', ({ item, caller }) => ({ read: item.id.equal(caller.id) })],
    [
      'a list',
      ({ item, caller }) => ({
        read: item.memberships.id.anyOf([]).or(item.lead.id.equal(caller.id)),
        update: item.id.equal(caller.id),
      }),
    ],
  ])('refuse ids of two models for one member of the caller: %s', async (_, rules) => {
    await expect(routerWith(rules).router.open()).rejects.toThrow(/'id' of the caller|memberships/)
  })

  it('name both models that one member of the caller stands for', async () => {
    const { router } = routerWith(({ item, caller }) => ({
      read: item.memberships.contains(caller.id),
    }))
    await expect(router.open()).rejects.toThrow(
      "Access rules take 'id' of the caller for the id of a 'person' ('id' of 'person') and of a 'membership' ('memberships' of 'team').",
    )
  })

  it('take ids of one model from many places', async () => {
    const { router } = routerWith(({ item, caller }) => ({
      read: item.lead.equal(caller.id).or(item.lead.id.equal(caller.id)),
      set: { lead: caller.id },
    }))
    await expect(router.open()).resolves.toBeUndefined()
  })

  it.each<[string, Rules, string]>([
    [
      'one within another',
      ({ item, caller }) => ({
        read: item.memberships.some(({ person }: Symbols) =>
          person.teams.some((team: Symbols) => team.lead.equal(caller.id)),
        ),
      }),
      "'person.teams.some()' of an access rule stands within another some(), but one is the limit. Add a relation that leads there directly.",
    ],
    [
      'of a to-one relation',
      ({ item, anyone }) => ({ read: item.lead.some(() => anyone) }),
      "The path 'lead' of the model 'team' is invalid: it leads to a single id, but 'some' needs a to-many relation.",
    ],
    [
      'of a field',
      ({ item, anyone }) => ({ read: item.name.some(() => anyone) }),
      "it leads to a value of the type 'text', but 'some' needs a to-many relation.",
    ],
    [
      'of a relation that the model does not have',
      ({ item, anyone }) => ({ read: item.membership.some(() => anyone) }),
      "'team' has no field 'membership'. Did you mean 'memberships'?",
    ],
    [
      'of a list of the caller',
      ({ caller, anyone }) => ({ read: caller.organizations.some(() => anyone) }),
      "'organizations.some()' of an access rule is about the caller.",
    ],
    [
      'with a member of the item',
      ({ item }) => ({ read: item.memberships.some(() => item.name.equal('x')) }),
      "The function of 'memberships.some()' of an access rule names 'name' of the item. Name members of the related item there, and join the rest by and().",
    ],
    [
      'with a member of the item before a change',
      ({ item, before }) => ({ update: item.memberships.some(() => before.name.equal('x')) }),
      "names 'name' of the item.",
    ],
    [
      'with a member that the related model does not have',
      ({ item }) => ({ read: item.memberships.some((each: Symbols) => each.roles.equal('x')) }),
      "'membership' has no field 'roles'",
    ],
    [
      'with a member that the caller does not have',
      ({ item, caller }) => ({
        read: item.memberships.some(({ person }: Symbols) => person.equal(caller.person)),
      }),
      "name 'person' of the caller, which its schema does not have",
    ],
    [
      'with the id of another model',
      ({ item, caller }) => ({
        read: item.memberships.some(({ team }: Symbols) => team.equal(caller.id)),
      }),
      "Access rules take 'id' of the caller for the id of a 'person' ('id' of 'person') and of a 'team' ('team' of 'membership').",
    ],
    [
      'without a condition',
      ({ item }) => ({ read: item.memberships.some(() => true) }),
      "The function of 'memberships.some()' of an access rule must return a condition",
    ],
    [
      'without a function',
      ({ item, anyone }) => ({ read: item.memberships.some(anyone) }),
      "'memberships.some()' of an access rule expects a function",
    ],
    [
      'whose related item is named outside',
      ({ item }) => {
        let related: Symbols
        const some = item.memberships.some((each: Symbols) => {
          related = each
          return each.id.isNull()
        })
        return { read: some.and(related.id.isNull()) }
      },
      "name 'id' of a related item outside of the function of some() that it belongs to.",
    ],
    [
      'instead of which a path goes through the relation',
      ({ item, caller }) => ({ read: item.memberships.person.equal(caller.id) }),
      "'memberships' is not a to-one relation; some() looks at the items of a to-many relation.",
    ],
  ])('refuse some() %s', async (_, rules, message) => {
    await expect(async () => routerWith(rules).router.open()).rejects.toThrow(message)
  })

  it('can be read back, as declared and as they hold', () => {
    const { router, team } = routerWith(({ anyone }) => ({ read: anyone }), 'organization')
    expect(team.accessRules).toEqual({ read: { kind: 'anyone' }, actions: {}, set: {}, fields: {} })
    const { team: rules, membership, person } = router.describeAccess()
    expect(membership).toMatchObject({ read: { kind: 'nobody' }, delete: { kind: 'nobody' } })
    expect(person?.create).toEqual({ kind: 'nobody' })
    expect(rules?.set).toEqual({ organization: { kind: 'caller', path: ['organization'] } })
    expect(rules?.read?.kind).toBe('and')
    expect(Object.isFrozen(rules?.fields.organization)).toBe(true)
  })
})
