// Measures raw libzmq with the same traffic: the floor that `scenebus bench` prints beside its own figures.
//
//     scenebus-bench-floor echo ENDPOINT
//     scenebus-bench-floor rtt ENDPOINT COUNT SIZE
//     scenebus-bench-floor pipeline ENDPOINT COUNT SIZE OUTSTANDING
//     scenebus-bench-floor publish ENDPOINT SUBSCRIBERS ROUNDS SIZE
//     scenebus-bench-floor subscribe ENDPOINT SUBSCRIBERS ROUNDS
//     scenebus-bench-floor forward ENDPOINT PUBLISHER
//     scenebus-bench-floor relay ENDPOINT
//     scenebus-bench-floor handle ENDPOINT
//     scenebus-bench-floor first ENDPOINT SIZE
//     scenebus-bench-floor idle ENDPOINT
//
// A role ends when its parent closes standard input, or when its count is reached.

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

// Ends the process when its parent closes standard input, even while a role waits for a message that never comes.
static void *watch_parent(void *unused) {
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {}
    _exit(0);
    return unused;
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void fail(const char *what) {
    fprintf(stderr, "scenebus-bench-floor: %s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(1);
}

static void *open_socket(void *context, int type) {
    void *socket = zmq_socket(context, type);
    if (!socket) fail("socket");
    int zero = 0;
    zmq_setsockopt(socket, ZMQ_LINGER, &zero, sizeof zero);
    zmq_setsockopt(socket, ZMQ_SNDHWM, &zero, sizeof zero);
    zmq_setsockopt(socket, ZMQ_RCVHWM, &zero, sizeof zero);
    return socket;
}

// The keys of the man page of zmq_curve(7), which protect nothing. No ZAP handler asks who has them.
static const char server_public[] = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
static const char server_secret[] = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6";
static const char client_public[] = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";
static const char client_secret[] = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs";

static void set_text(void *socket, int option, const char *text) {
    if (zmq_setsockopt(socket, option, text, strlen(text) + 1)) fail("set a key");
}

// Whether the benchmark measures TCP with keys.
static int uses_keys(void) { return getenv("SCENEBUS_BENCH_CURVE") != NULL; }

static void bind_to(void *socket, const char *endpoint) {
    int one = 1;
    if (uses_keys()) {
        zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &one, sizeof one);
        set_text(socket, ZMQ_CURVE_SECRETKEY, server_secret);
    }
    if (zmq_bind(socket, endpoint)) fail(endpoint);
}

static void connect_to(void *socket, const char *endpoint) {
    if (uses_keys()) {
        set_text(socket, ZMQ_CURVE_SERVERKEY, server_public);
        set_text(socket, ZMQ_CURVE_PUBLICKEY, client_public);
        set_text(socket, ZMQ_CURVE_SECRETKEY, client_secret);
    }
    if (zmq_connect(socket, endpoint)) fail(endpoint);
}

static void *connect_socket(void *context, int type, const char *endpoint) {
    void *socket = open_socket(context, type);
    connect_to(socket, endpoint);
    return socket;
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void say_ready(void) {
    puts("ready");
    fflush(stdout);
}

static int echo(const char *endpoint) {
    void *context = zmq_ctx_new();
    void *router = open_socket(context, ZMQ_ROUTER);
    bind_to(router, endpoint);
    say_ready();
    zmq_pollitem_t items[] = {{router, 0, ZMQ_POLLIN, 0}};
    for (;;) {
        zmq_poll(items, 1, -1);
        for (;;) {
            zmq_msg_t identity, body;
            zmq_msg_init(&identity);
            if (zmq_msg_recv(&identity, router, ZMQ_DONTWAIT) < 0) break;
            zmq_msg_init(&body);
            zmq_msg_recv(&body, router, 0);
            zmq_msg_send(&identity, router, ZMQ_SNDMORE);
            zmq_msg_send(&body, router, 0);
        }
    }
}

static void exchange(void *dealer, char *buffer, size_t size) {
    if (zmq_send(dealer, buffer, size, 0) < 0 || zmq_recv(dealer, buffer, size, 0) < 0) fail("exchange");
}

static int rtt(const char *endpoint, long count, size_t size) {
    void *dealer = connect_socket(zmq_ctx_new(), ZMQ_DEALER, endpoint);
    char *buffer = calloc(1, size);
    uint64_t *times = calloc((size_t)count, sizeof *times), sum = 0;
    for (int i = 0; i < 500; i++) exchange(dealer, buffer, size);
    for (long i = 0; i < count; i++) {
        uint64_t start = now_ns();
        exchange(dealer, buffer, size);
        times[i] = now_ns() - start;
        sum += times[i];
    }
    qsort(times, (size_t)count, sizeof *times, ascending);
    printf("p50_us=%.1f p99_us=%.1f mean_us=%.1f\n", times[count / 2] / 1e3, times[count * 99 / 100] / 1e3,
           (double)sum / (double)count / 1e3);
    return 0;
}

static int pipeline(const char *endpoint, long count, size_t size, long outstanding) {
    void *dealer = connect_socket(zmq_ctx_new(), ZMQ_DEALER, endpoint);
    char *buffer = calloc(1, size);
    for (int i = 0; i < 500; i++) exchange(dealer, buffer, size);
    uint64_t start = now_ns();
    long sent = 0, received = 0;
    while (received < count) {
        while (sent < count && sent - received < outstanding) {
            if (zmq_send(dealer, buffer, size, 0) < 0) fail("send");
            sent++;
        }
        if (zmq_recv(dealer, buffer, size, 0) < 0) fail("receive");
        received++;
    }
    printf("msgs_s=%.0f\n", (double)count * 1e9 / (double)(now_ns() - start));
    return 0;
}

static int publish(const char *endpoint, long subscribers, long rounds, size_t size) {
    void *publisher = open_socket(zmq_ctx_new(), ZMQ_XPUB);
    int one = 1;
    zmq_setsockopt(publisher, ZMQ_XPUB_VERBOSE, &one, sizeof one);
    bind_to(publisher, endpoint);
    say_ready();
    char *buffer = calloc(1, size), topic[16];
    for (long i = 0; i < subscribers; i++)
        if (zmq_recv(publisher, topic, sizeof topic, 0) < 0) fail("subscription");
    for (long i = 0; i < rounds; i++) {
        // The pause lets the previous round end, so that rounds do not share queues.
        poll(NULL, 0, 50);
        uint64_t time = now_ns();
        memcpy(buffer, "bench", 5);
        memcpy(buffer + 8, &time, sizeof time);
        if (zmq_send(publisher, buffer, size, 0) < 0) fail("publish");
    }
    for (;;) pause();
}

// Receives what a socket has, and notes how long each message took.
static long drain(void *socket, uint64_t *times, uint64_t *longest, long *seen, long rounds) {
    char buffer[65536];
    long count = 0;
    while (zmq_recv(socket, buffer, sizeof buffer, ZMQ_DONTWAIT) >= 0) {
        uint64_t sent;
        memcpy(&sent, buffer + 8, sizeof sent);
        uint64_t latency = now_ns() - sent;
        if (*seen < rounds) {
            times[*seen] = latency;
            if (latency > longest[*seen]) longest[*seen] = latency;
            ++*seen;
            count++;
        }
    }
    if (zmq_errno() != EAGAIN) fail("receive");
    return count;
}

// Waits for all sockets at once, as an application does that does not know which message comes first.
static int subscribe(const char *endpoint, long subscribers, long rounds) {
    void *context = zmq_ctx_new();
    zmq_ctx_set(context, ZMQ_MAX_SOCKETS, 20000);
    void **sockets = calloc((size_t)subscribers, sizeof *sockets);
    int epoll = epoll_create1(0);
    for (long i = 0; i < subscribers; i++) {
        sockets[i] = open_socket(context, ZMQ_SUB);
        zmq_setsockopt(sockets[i], ZMQ_SUBSCRIBE, "bench", 5);
        connect_to(sockets[i], endpoint);
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)i};
        size_t size = sizeof event.data.fd;
        int descriptor;
        if (zmq_getsockopt(sockets[i], ZMQ_FD, &descriptor, &size)) fail("descriptor");
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
    }
    say_ready();
    uint64_t *times = calloc((size_t)(subscribers * rounds), sizeof *times);
    uint64_t *longest = calloc((size_t)rounds, sizeof *longest);
    long *seen = calloc((size_t)subscribers, sizeof *seen), received = 0;
    while (received < subscribers * rounds) {
        struct epoll_event events[64];
        int count = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < count; i++) {
            // The descriptor stays readable until the socket's events are read.
            long n = (long)events[i].data.u64;
            uint32_t state;
            size_t size = sizeof state;
            zmq_getsockopt(sockets[n], ZMQ_EVENTS, &state, &size);
            if (state & ZMQ_POLLIN) received += drain(sockets[n], times + n * rounds, longest, seen + n, rounds);
        }
    }
    printf("rounds");
    for (long round = 0; round < rounds; round++) printf(" %llu", (unsigned long long)longest[round]);
    qsort(times, (size_t)(subscribers * rounds), sizeof *times, ascending);
    printf("\np50_us=%.1f p99_us=%.1f\n", times[subscribers * rounds / 2] / 1e3,
           times[subscribers * rounds * 99 / 100] / 1e3);
    return 0;
}

// Publishes at an endpoint what it receives from a publisher: two hops from the publisher to its subscribers.
static int forward(const char *endpoint, const char *source) {
    void *context = zmq_ctx_new();
    void *publisher = open_socket(context, ZMQ_XPUB);
    bind_to(publisher, endpoint);
    say_ready();
    char topic[16];
    if (zmq_recv(publisher, topic, sizeof topic, 0) < 0) fail("subscription");
    void *subscriber = open_socket(context, ZMQ_SUB);
    zmq_setsockopt(subscriber, ZMQ_SUBSCRIBE, "bench", 5);
    connect_to(subscriber, source);
    zmq_pollitem_t items[] = {{subscriber, 0, ZMQ_POLLIN, 0}};
    for (;;) {
        zmq_poll(items, 1, -1);
        zmq_msg_t message;
        zmq_msg_init(&message);
        while (zmq_msg_recv(&message, subscriber, ZMQ_DONTWAIT) >= 0) zmq_msg_send(&message, publisher, 0);
    }
}

// Carries requests to the peer whose message came first, which is the handler, and its replies back to the senders.
static int relay(const char *endpoint) {
    void *router = open_socket(zmq_ctx_new(), ZMQ_ROUTER);
    bind_to(router, endpoint);
    say_ready();
    zmq_pollitem_t items[] = {{router, 0, ZMQ_POLLIN, 0}};
    zmq_msg_t handler;
    zmq_msg_init(&handler);
    for (;;) {
        zmq_poll(items, 1, -1);
        for (;;) {
            zmq_msg_t sender, other, body;
            zmq_msg_init(&sender);
            if (zmq_msg_recv(&sender, router, ZMQ_DONTWAIT) < 0) break;
            zmq_msg_init(&other);
            zmq_msg_init(&body);
            zmq_msg_recv(&body, router, 0);
            if (zmq_msg_size(&handler) == 0) {
                zmq_msg_copy(&handler, &sender);
            } else if (zmq_msg_size(&sender) == zmq_msg_size(&handler)
                       && !memcmp(zmq_msg_data(&sender), zmq_msg_data(&handler), zmq_msg_size(&sender))) {
                // The first part of a reply is the requester's id.
                zmq_msg_move(&sender, &body);
                zmq_msg_recv(&body, router, 0);
            } else {
                zmq_msg_copy(&other, &handler);
                zmq_msg_send(&other, router, ZMQ_SNDMORE);
            }
            zmq_msg_send(&sender, router, ZMQ_SNDMORE);
            zmq_msg_send(&body, router, 0);
        }
    }
}

// Replies to the requests that a relay carries.
static int handle(const char *endpoint) {
    void *dealer = connect_socket(zmq_ctx_new(), ZMQ_DEALER, endpoint);
    char byte = 0;
    exchange(dealer, &byte, 1);
    say_ready();
    zmq_pollitem_t items[] = {{dealer, 0, ZMQ_POLLIN, 0}};
    for (;;) {
        zmq_poll(items, 1, -1);
        for (;;) {
            zmq_msg_t sender, body;
            zmq_msg_init(&sender);
            if (zmq_msg_recv(&sender, dealer, ZMQ_DONTWAIT) < 0) break;
            zmq_msg_init(&body);
            zmq_msg_recv(&body, dealer, 0);
            zmq_msg_send(&sender, dealer, ZMQ_SNDMORE);
            zmq_msg_send(&body, dealer, 0);
        }
    }
}

static int first(const char *endpoint, size_t size) {
    void *dealer = connect_socket(zmq_ctx_new(), ZMQ_DEALER, endpoint);
    char *buffer = calloc(1, size);
    exchange(dealer, buffer, size);
    printf("replied_ns=%llu\n", (unsigned long long)now_ns());
    return 0;
}

static int idle(const char *endpoint) {
    void *context = zmq_ctx_new();
    void *dealer = connect_socket(context, ZMQ_DEALER, endpoint);
    void *subscriber = connect_socket(context, ZMQ_SUB, endpoint);
    char byte = 0;
    exchange(dealer, &byte, 1);
    say_ready();
    for (;;) pause();
    return subscriber == NULL;
}

int main(int argc, char **argv) {
    pthread_t watcher;
    if (argc >= 3) {
        pthread_create(&watcher, NULL, watch_parent, NULL);
        const char *role = argv[1], *endpoint = argv[2];
        long a = argc > 3 ? atol(argv[3]) : 0, b = argc > 4 ? atol(argv[4]) : 0, c = argc > 5 ? atol(argv[5]) : 0;
        if (!strcmp(role, "echo")) return echo(endpoint);
        if (!strcmp(role, "idle")) return idle(endpoint);
        if (!strcmp(role, "relay")) return relay(endpoint);
        if (!strcmp(role, "handle")) return handle(endpoint);
        if (!strcmp(role, "forward") && argc > 3) return forward(endpoint, argv[3]);
        if (!strcmp(role, "rtt") && a > 0 && b > 0) return rtt(endpoint, a, (size_t)b);
        if (!strcmp(role, "pipeline") && a > 0 && b > 0 && c > 0) return pipeline(endpoint, a, (size_t)b, c);
        if (!strcmp(role, "publish") && a > 0 && b > 0 && c > 15) return publish(endpoint, a, b, (size_t)c);
        if (!strcmp(role, "subscribe") && a > 0 && b > 0) return subscribe(endpoint, a, b);
        if (!strcmp(role, "first") && a > 0) return first(endpoint, (size_t)a);
    }
    fputs("scenebus-bench-floor is started by 'scenebus bench'\n", stderr);
    return 2;
}
