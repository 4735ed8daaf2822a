create table people (
  id integer generated always as identity primary key,
  name text not null
);
create table films (
  film_id integer generated always as identity primary key,
  title varchar(80) not null check (title <> ''),
  year integer check (year >= 1888),
  director_id integer references people on delete restrict
);
create table film_actor (
  film_id integer references films on delete cascade,
  actor_id integer references people on delete cascade,
  primary key (film_id, actor_id)
);
