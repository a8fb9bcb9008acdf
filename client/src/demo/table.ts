import type { MatchStatus } from '../match/match.js';
import { blankStatus } from '../match/status.js';
import { demoGames, type LiveMatch } from './demo-game.js';
import { type GameId, type MatchRequest, type Meeting, playersMax } from './params.js';

/** What the page shows. */
export interface TableView {
  readonly screen: 'lobby' | 'connecting' | 'match';
  /** A sentence about what went wrong, for the lobby. */
  readonly notice: string | null;
  readonly game: GameId;
  readonly meeting: Meeting | null;
  readonly request: MatchRequest;
  /** Whom this player practises against, alone; null in every other match. */
  readonly partner: string | null;
  /** The created room's code, once it can be shared. */
  readonly roomCode: string | null;
  /** Players in the room, and players when full; null before there is one. */
  readonly seats: { readonly here: number; readonly size: number } | null;
  readonly status: MatchStatus;
  readonly match: LiveMatch | null;
  /** The picture of the match; one a match. */
  readonly canvas: HTMLCanvasElement | null;
}

/** Without it there is no peer to peer play in a browser. */
export const hasWebRtc = typeof RTCPeerConnection !== 'undefined';

const NO_WEBRTC =
  'This browser cannot connect to other players: its WebRTC is missing or switched off. ' +
  'Switch it on or use a current Chrome, Edge, Firefox or Safari; two players on one keyboard works here too.';

/** The one place where the page's matches start and end: holds what is shown, and tells who listens. */
export class Table {
  #view: TableView;
  #listeners = new Set<(view: TableView) => void>();
  #abort: AbortController | null = null;

  constructor(request: MatchRequest, notice: string | null) {
    this.#view = {
      screen: 'lobby',
      notice: notice ?? (hasWebRtc ? null : NO_WEBRTC),
      game: request.game,
      meeting: null,
      request,
      partner: null,
      roomCode: null,
      seats: null,
      status: blankStatus,
      match: null,
      canvas: null,
    };
  }

  get view(): TableView {
    return this.#view;
  }

  /** Calls `listener` at every change; returns a function that stops that. */
  listen(listener: (view: TableView) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #show(changes: Partial<TableView>): void {
    this.#view = { ...this.#view, ...changes };
    for (const listener of this.#listeners) listener(this.#view);
  }

  /** The running match's status, or the last one known. */
  status(): MatchStatus {
    return this.#view.match?.status() ?? this.#view.status;
  }

  /** Another game, for as many players of those asked for as it takes. */
  choose(game: GameId): void {
    const { players = 2 } = this.#view.request;
    this.#show({ game });
    this.seat(Math.min(players, playersMax[game]));
  }

  /** For how many players a new match is. */
  seat(players: number): void {
    this.#show({ request: { ...this.#view.request, players } });
  }

  rename(name: string): void {
    const { name: _previous, ...request } = this.#view.request;
    this.#show({ request: name === '' ? request : { ...request, name } });
  }

  /** Meets the other player and plays. Whatever goes wrong ends in the lobby, with a sentence. */
  async meet(meeting: Meeting): Promise<void> {
    if (!hasWebRtc) {
      this.#fail(NO_WEBRTC);
      return;
    }
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    const canvas = pictureFor(demoGames[this.#view.game].title);
    const room = 'room' in meeting ? meeting.room : 'watch' in meeting ? meeting.watch : null;
    const status: MatchStatus = { ...blankStatus, phase: 'connecting', room };
    this.#show({
      screen: 'connecting',
      notice: null,
      meeting,
      partner: null,
      roomCode: null,
      seats: null,
      status,
      match: null,
      canvas,
    });
    const isCurrent = (): boolean => this.#abort === abort;
    try {
      const { game, request } = this.#view;
      const match = await demoGames[game].join(canvas, meeting, request, {
        signal: abort.signal,
        onRoom: (code) => {
          if (!isCurrent()) return;
          nameRoom(code, { ...request, game });
          this.#show({ roomCode: code });
        },
        onSeats: (here, size) => isCurrent() && this.#show({ seats: { here, size } }),
        onPhase: (_phase, latest) => isCurrent() && this.#show({ status: latest }),
      });
      if (isCurrent()) this.#sit(match);
      else match.leave();
    } catch (error) {
      if (isCurrent()) this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  /** Both players on this keyboard. */
  playLocal(): void {
    this.#playHere(null);
  }

  /** Alone, against a computer or a dummy. */
  practise(partner: string): void {
    this.#playHere(partner);
  }

  #playHere(partner: string | null): void {
    this.#abort?.abort();
    this.#abort = null;
    const { request } = this.#view;
    const game = demoGames[this.#view.game];
    const canvas = pictureFor(game.title);
    this.#show({ notice: null, meeting: null, partner, roomCode: null, canvas });
    this.#sit(partner === null ? game.playLocal(canvas, request) : game.practise(canvas, request, partner));
  }

  #sit(match: LiveMatch): void {
    const update = (): void => {
      if (this.#view.match !== match) return;
      const status = match.status();
      const { meeting, request, game } = this.#view;
      const isWatched = meeting !== null && 'watch' in meeting;
      if (status.phase === 'ended' || status.phase === 'failed') nameRoom(null);
      else if (status.room !== null && !isWatched) nameRoom(status.room, { ...request, game });
      this.#show({ status });
    };
    for (const event of ['phase', 'desync', 'presence', 'pause', 'rematch', 'closed'] as const) match.on(event, update);
    this.#show({ screen: 'match', match, status: match.status() });
  }

  /** Asks for another match of the same players; what becomes of that, the match's events tell. */
  rematch(): void {
    const { match } = this.#view;
    if (match === null) return;
    match.rematch().catch(() => undefined);
    this.#show({ status: match.status() });
  }

  #fail(reason: string): void {
    const status: MatchStatus = { ...this.status(), phase: 'failed', reason };
    this.#show({ screen: 'lobby', notice: reason, status, match: null, canvas: null });
  }

  /** Leaves whatever there is, for the lobby. */
  leave(): void {
    const { match } = this.#view;
    this.#abort?.abort();
    this.#abort = null;
    match?.leave();
    this.#show({
      screen: 'lobby',
      notice: null,
      meeting: null,
      roomCode: null,
      status: blankStatus,
      match: null,
      canvas: null,
    });
    nameRoom(null);
  }
}

function pictureFor(title: string): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.className = 'picture';
  canvas.tabIndex = -1;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `${title}: the match`);
  return canvas;
}

/** The address that joins a room of this game. */
export function linkTo(code: string, { game, players, transport }: MatchRequest): string {
  const link = new URL(location.pathname, location.origin);
  link.searchParams.set('room', code);
  if (game !== 'duel') link.searchParams.set('game', game);
  if (players !== undefined && players > 2) link.searchParams.set('players', String(players));
  if (transport !== undefined) link.searchParams.set('transport', transport);
  return link.href;
}

/**
 * Puts the room into the page's address, so that a reload takes the seat back; without one, reloading is only the lobby.
 */
function nameRoom(room: string | null, request?: MatchRequest): void {
  const address = new URL(location.href);
  address.searchParams.delete('create');
  address.searchParams.delete('watch');
  if (room === null) address.searchParams.delete('room');
  else address.searchParams.set('room', room);
  if (request !== undefined) {
    address.searchParams.set('game', request.game);
    if (request.players === undefined) address.searchParams.delete('players');
    else address.searchParams.set('players', String(request.players));
  }
  history.replaceState(null, '', address);
}
