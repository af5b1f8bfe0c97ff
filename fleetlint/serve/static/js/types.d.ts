// The shapes of what the server answers (machine JSON, impact) and of what the page makes of it.

export interface Node {
  note_path: string;
  fleet_ids: string[];
  mode: string;
  for_each: string;
  concurrency: string;
  max_depth: number;
  registered: boolean;
  valid: boolean;
  ghost: boolean;
  errors: string[];
  enabled: boolean;
  kind: "role" | "webhook";
}

export interface Edge {
  from: string;
  to: string;
  kind: "trigger" | "feed";
  via: { write: string; match: string };
  witness: string;
  exact: boolean;
  fanout: boolean;
  maybe_excluded: boolean;
  cut_by_depth: boolean;
}

export type Severity = "error" | "warn" | "info";

export interface Finding {
  severity: Severity;
  kind: string;
  nodes: string[];
  detail: string;
  path: string;
  line: number;
  column: number;
  help: string;
  data: Record<string, unknown>;
  rule: string;
  fingerprint: string;
}

export interface GraphDocument {
  generated_at: string;
  fleets: { id: string; callback: string | null; health: string }[];
  nodes: Node[];
  edges: Edge[];
  findings: Finding[];
}

/** A node with what the page says of it. `path` is `""` for the people who edit by hand. */
export interface Role {
  path: string;
  name: string;
  node: Node | null;
  /** The fleet whose colour it has: its only one, or `""`. */
  fleet: string;
  folder: string;
  /** `invalid`, `ghost`, `paused`, `conflict`, `unclaimed`, `webhook`, `unregistered`. */
  states: string[];
  findings: Finding[];
  counts: Record<Severity, number>;
  /** Its loop has other roles, or it wakes itself. */
  looping: boolean;
  out: Link[];
  into: Link[];
}

/** An edge, or with `edge: null` the arrow from people to an entry point. */
export interface Link {
  from: string;
  to: string;
  kind: "trigger" | "feed";
  cut: boolean;
  loop: boolean;
  edge: Edge | null;
}

export interface Model {
  document: GraphDocument;
  roles: Map<string, Role>;
  links: Link[];
  loops: string[][];
  fleets: string[];
  folders: string[];
}

export interface View {
  q: string;
  fleets: string[];
  folder: string;
  severities: string[];
  /** Of `trigger`, `feed`, `cut`; none means all. */
  edges: string[];
  /** The id of a role, group or arrow as on the canvas, or `""`. */
  selection: string;
  /** The ids of groups that are open; null leaves it to the page. */
  open: string[] | null;
  /** The glob of the wave that is shown. */
  touch: string;
  tab: "findings" | "roles";
}

export interface Group {
  id: string;
  label: string;
  fleet: string;
  folder: string;
  /** All roles below. */
  roles: Role[];
  children: (Group | Role)[];
  parent: Group | null;
}

/** What is on the canvas: roles and groups by id, arrows between them, and where each role is drawn. */
export interface Scene {
  items: Map<string, Group | Role>;
  arrows: Map<string, Arrow>;
  /** Path of a role -> id of the item that shows it. */
  home: Map<string, string>;
  /** Whether some group is closed or was opened by hand. */
  grouped: boolean;
  open: string[];
  groups: Map<string, Group>;
}

export interface Arrow {
  id: string;
  from: string;
  to: string;
  kind: "trigger" | "feed";
  cut: boolean;
  loop: boolean;
  links: Link[];
}

export interface Impact {
  glob: string;
  waves: Wave[];
}

export interface Count {
  text: string;
  powers_of_n: number[];
}

export interface Run {
  role: string;
  path: string;
  from: string | null;
  via: { write: string; match: string } | null;
  sources: number;
  splits: boolean;
}

export interface Wave {
  origin: { kind: "edit" | "tick"; role?: string };
  levels: { first: number; last: number; runs: Run[] }[];
  unlisted_depths: number;
  cuts: { from: string; to: string; witness: string; depth: number }[];
  runs: Count | null;
  exact: boolean;
  reasons: string[];
  worst: { path: string; event: string; wakes: string[] } | null;
  tokens: Count | null;
  tokens_unstated: string[];
}

/** What a role's note says, from GraphQL. */
export interface Patterns {
  path: string;
  executor: string;
  model: string | null;
  triggerOn: string[];
  triggerInclude: string[];
  triggerExclude: string[];
  readPatterns: string[];
  writePatterns: string[];
}

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}
