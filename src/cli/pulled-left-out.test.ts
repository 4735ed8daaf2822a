import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PulledService, pulledService } from '../../test/support/pulled-sqlite.ts'

let service: PulledService

beforeAll(async () => {
  service = await pulledService(`
    create table users (
      id integer primary key not null,
      name text not null,
      password_hash text not null
    );
    create table sessions (token text primary key not null, user_id integer references users (id));
    create table logins (pin text not null unique, name text not null unique);
    create table visits (
      id integer primary key not null,
      session text references sessions (token)
    );
    create table groups (id integer primary key not null);
    create table user_group (
      user_id integer not null references users (id),
      group_id integer not null references groups (id),
      added_at text not null default current_timestamp,
      year text not null default (strftime('%Y', 'now')),
      label text generated always as (user_id || '-' || group_id),
      primary key (user_id, group_id)
    );
    create table order_line (
      user_id integer not null references users (id),
      group_id integer not null references groups (id),
      quantity smallint not null default 1,
      primary key (user_id, group_id)
    );
    create table remarks (
      user_id integer not null references users (id),
      group_id integer not null references groups (id),
      remark text,
      state text not null default 'now or later',
      primary key (user_id, group_id)
    );
    insert into users values (1, 'Ann', 'x');
    insert into groups values (1);
    insert into sessions values ('s3cret', 1);
    insert into visits values (1, 's3cret');
    insert into order_line values (1, 1, 7);
  `)
})
afterAll(() => service?.close())

it('serves no table whose ids look like secrets, and no reference to one', async () => {
  const { api, notes, router } = service
  expect(notes).toContainEqual({
    model: undefined,
    text: "sessions: its key 'token' looks like a secret, and clients see all ids.",
  })
  const paths = router.rules.map(({ path }) => path)
  expect(paths.filter((path) => path.startsWith('/sessions'))).toEqual([])
  expect(JSON.stringify((await api.get('/visits/1')).body)).not.toContain('s3cret')
})

it('takes another unique column as the id than one that looks like a secret', () => {
  expect(service.files.get('login.ts')).toContain("key: 'name'")
})

it('takes no table with data of its own for a join table', () => {
  const { files, notes } = service
  const reasons = notes.filter(({ model }) => model === undefined).map(({ text }) => text)
  const reason = (name: string, columns: string) =>
    `${name}: its key has 2 columns (user_id, group_id), and it is not a join table: a relation would delete what its other columns hold (${columns}). Such keys are not pulled yet.`
  expect(reasons).toContain(reason('order_line', 'quantity'))
  expect(reasons).toContain(reason('remarks', 'remark, state'))
  expect(files.get('user.ts')).not.toContain('order_line')
})

it('serves a join table whose other columns the database fills', async () => {
  const { api, files } = service
  expect(files.get('user.ts')).toContain("table: 'user_group'")
  const change = { user: { groups: ['1'] } }
  const { etag } = await api.get('/users/1')
  const changed = await api.patch('/users/1', change, { 'If-Match': etag })
  expect(changed.body).toMatchObject(change)
})

it('says where clients cannot create an item', async () => {
  const { api, notes } = service
  expect(notes).toContainEqual({
    model: 'user',
    text: "The column 'password_hash' needs a value, which clients cannot send: every POST is 422, unless a trigger sets it, or its field has a default or is 'writeOnly'.",
  })
  expect((await api.post('/users', { user: { name: 'Bob' } })).status).toBe(422)
})
