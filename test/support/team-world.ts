import {
  action,
  createRouter,
  file,
  hash,
  model,
  type Policy,
  type PreparedRouter,
  type Router,
  type RouterOptions,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { Caller, token } from './access-world.ts'

export class Person extends model('person', { name: z.string() }) {}

export class Team extends model('team', {
  name: z.string(),
  memberships: toMany<Membership>('membership', { inverse: 'team' }),
  papers: toMany<Paper>('paper', { inverse: 'team' }),
  hash: hash(),
}) {}

export class Membership extends model('membership', {
  role: z.enum(['reader', 'editor', 'owner']),
  until: z.iso.date().optional(),
  team: toOne<Team>('team', { onDelete: 'cascade' }),
  person: toOne<Person>('person'),
}) {}

export class Share extends model('share', {
  permission: z.enum(['read', 'write']),
  person: toOne<Person>('person'),
}) {}

export class Paper extends model('paper', {
  title: z.string(),
  notes: z.string().optional(),
  budget: z.int().optional(),
  published: z.boolean().default(false),
  scan: file({ types: ['text/plain'] }),
  team: toOne<Team>('team', { optional: true, onDelete: 'set-null' }),
  /** Held by the paper, as memberships are not. */
  shares: toMany<Share>('share'),
  hash: hash(),
}) {
  static {
    action(this, 'publish')
  }

  publish() {
    this.published = true
  }
}

/**
 * Members of the team read a paper, editors and owners change it, owners delete and publish it, and
 * a share opens a single paper. Members see their own memberships only, and shares of nobody.
 */
export function teamRouter(
  store: Store,
  policy: Policy = rest(),
  options: Partial<RouterOptions> = {},
  prepareTeam: (team: PreparedRouter<Team, Caller>) => void = () => undefined,
): Router<Caller> {
  const router = createRouter({
    ...options,
    policy,
    store,
    blobs: memoryBlobs(),
    security: { ...options.security, authentication: [token], callerSchema: Caller },
  })
  router.prepare(Person)
  prepareTeam(router.prepare(Team))
  router.prepare(Membership).access(({ item, caller }) => ({ read: item.person.equal(caller.id) }))
  router.prepare(Share).access(({ caller }) => ({ read: caller.roles.contains('admin') }))
  router.prepare(Paper).access(({ item, caller, signedIn, anyone }) => {
    const isMember = item.team.memberships.some((membership) => membership.person.equal(caller.id))
    const isEditor = item.team.memberships.some((membership) =>
      membership.person.equal(caller.id).and(membership.role.anyOf(['editor', 'owner'])),
    )
    const isOwner = item.team.memberships.some((membership) =>
      membership.person.equal(caller.id).and(membership.role.equal('owner')),
    )
    const isShared = item.shares.some((share) => share.person.equal(caller.id))
    return {
      read: isMember.or(isShared),
      create: signedIn.and(isEditor),
      update: isEditor.or(
        item.shares.some((share) =>
          share.person.equal(caller.id).and(share.permission.equal('write')),
        ),
      ),
      delete: isOwner,
      actions: { publish: isOwner },
      fields: {
        notes: { read: isEditor },
        budget: { read: anyone, write: isOwner },
        scan: { read: isEditor },
      },
    }
  })
  return router
}

export async function loadTeamWorld(router: Router<Caller>): Promise<void> {
  await router.load(
    Person,
    ['ann', 'bob', 'cy', 'dee'].map((id) => ({ id, name: id })),
  )
  await router.load(Team, [
    { id: 'red', name: 'Red' },
    { id: 'blue', name: 'Blue' },
  ])
  await router.load(Membership, [
    { id: 'm1', team: 'red', person: 'ann', role: 'owner' },
    { id: 'm2', team: 'red', person: 'bob', role: 'reader' },
    { id: 'm3', team: 'blue', person: 'cy', role: 'editor' },
  ])
  await router.load(Share, [
    { id: 's1', person: 'dee', permission: 'read' },
    { id: 's2', person: 'bob', permission: 'write' },
  ])
  await router.load(Paper, [
    { id: 'p1', title: 'No. 1', notes: 'note 1', budget: 1, team: 'red', shares: ['s1'] },
    { id: 'p2', title: 'No. 2', notes: 'note 2', team: 'blue', shares: ['s2'] },
    { id: 'p3', title: 'No. 3', notes: 'note 3', team: null, shares: [] },
  ])
}
