import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PulledService, pulledService } from '../../../test/support/pulled-sqlite.ts'

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
    create table profiles (id integer primary key not null references users (id), about text, picture blob);
    create view user_list as select id as user_id, name from users;
    create view totals as select count(*) as number from users;
    create table entries (entry_id integer, remark text);
    insert into users values (1, 'Ann', 'x');
    insert into groups values (1);
    insert into sessions values ('s3cret', 1);
    insert into profiles values (1, 'x', x'89504E47');
    insert into visits values (1, 's3cret');
    insert into entries values (1, 'a'), (null, 'b');
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

it('leaves out columns for BLOBs, which clients would see as null', () => {
  expect(service.files.get('profile.ts')).not.toContain('picture:')
  expect(service.notes).toContainEqual({
    model: 'profile',
    text: "The column 'picture' is left out: no field can hold the type blob.",
  })
})

it('takes another unique column as the id than one that looks like a secret', () => {
  expect(service.files.get('login.ts')).toContain("key: 'name'")
})

it('takes no table with data of its own for a join table, but makes a model of it', async () => {
  const { api, files } = service
  expect(files.get('user.ts')).not.toContain("table: 'order_line'")
  expect(files.get('user.ts')).toContain("orderLines: toMany('orderLine', { inverse: 'user' })")
  expect(files.get('order-line.ts')).toContain(`
    user: toOne('user', { onDelete: 'restrict' }),
    group: toOne('group', { onDelete: 'restrict' }),
`)
  expect(files.get('order-line.ts')).toContain(
    "table: 'order_line', key: ['user_id', 'group_id'], ids: 'server'",
  )
  expect(files.has('remark.ts')).toBe(true)
  expect((await api.get('/orderLines/1~1')).at('/orderLine/quantity')).toBe(7)
  const moved = await api.patch('/orderLines/1~1', { orderLine: { user: '2' } })
  expect(moved.status).toBe(422)
})

it('makes a relation of an id that is a foreign key', async () => {
  const { api, files } = service
  expect(files.get('profile.ts')).toContain(
    "user: toOne('user', { column: 'id', onDelete: 'restrict' })",
  )
  expect((await api.get('/profiles/1?include=user')).ids('users')).toEqual(['1'])
  expect((await api.post('/profiles', { profile: { user: '1' } })).status).toBe(409)
  expect((await api.post('/profiles', { profile: { user: '9' } })).status).toBe(422)
  expect((await api.patch('/profiles/1', { profile: { user: '2' } })).status).toBe(422)
  expect((await api.patch('/profiles/1', { profile: { user: '1', about: 'y' } })).status).toBe(200)
})

it('makes read-only models of views and of tables in which nothing is unique', async () => {
  const { api, files, notes } = service
  expect(files.get('user-list.ts')).toContain("table: 'user_list', key: 'user_id', readOnly: true")
  expect(files.get('entry.ts')).toContain("key: 'entry_id', readOnly: true")
  expect(notes).toContainEqual({
    model: 'userList',
    text: "Nothing makes the ids in 'user_id' unique. Check that they are, or name other columns as the key.",
  })
  expect(notes).toContainEqual({
    model: undefined,
    text: 'totals: a view, and no column has the name of an id. Write a read-only model, and name the columns of its key.',
  })
  expect((await api.get('/userLists/1')).at('/userList/name')).toBe('Ann')
  expect((await api.get('/entries')).ids('entries')).toEqual(['1'])
  expect((await api.delete('/userLists/1')).status).toBe(405)
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
